"""Functions that answer an exercise: what is told when one is called, and Python functions made to raise.

A function written in Python gets other code, which every reference to it shares: the module that defines it, one that exports it
again, a dictionary, a subclass.
"""

import dataclasses
import functools
import inspect
from types import CodeType, FunctionType
from typing import Any

from autograder.runtime.failure import CheckFailure

#: The forbidden functions that were called. A student's code may hide the error that a call raises.
HITS: list[str] = []


@dataclasses.dataclass(frozen=True)
class NotLoaded:
    """What stands for a forbidden object that a notebook imports and this process has not loaded."""

    name: str


def is_within(name: str, forbid: tuple[str, ...]) -> bool:
    """Return whether a dotted name is one of those in ``forbid``, or below one."""
    return any(f"{name}.".startswith(f"{one}.") for one in forbid)


def failure(name: str, line: int | None = None) -> CheckFailure:
    """Return the failure that says which ready-made function was used, and where."""
    where = f" (line {line} of your cell)" if line else ""
    return CheckFailure(
        "forbidden",
        f"{name} is not allowed in this exercise{where}.",
        cause="ready-made function",
        hint="This lesson is about what that function does inside. Write the steps yourself; you may compare with it in "
        "a cell of your own.",
    )


def only_here(found: CheckFailure) -> CheckFailure:
    """Return a failure that says that the exercise forbids what was used, and the lesson does not."""
    return dataclasses.replace(found, message=found.message.replace("in this lesson", "in this exercise"))


def used(name: str) -> None:
    """Note that a forbidden function was called, and raise the failure that says so."""
    HITS.append(name)
    raise failure(name)


def replace_code(thing: Any, name: str) -> None:
    """Give a function written in Python code that raises; of a class, all methods that its constructor does not need."""
    for function, code in raising(thing, name):
        function.__code__ = code


def raising(thing: Any, name: str) -> list[tuple[FunctionType, CodeType]]:
    """Return the functions whose code :func:`replace_code` replaces, each with the code that raises."""
    return [(function, _raising(name, function.__code__.co_freevars)) for function in _functions_of(thing)]


def _functions_of(thing: Any) -> list[FunctionType]:
    if isinstance(thing, type):
        own = {name: inspect.unwrap(plain) for name, value in vars(thing).items() if callable(plain := _behind(value))}
        made_with = getattr(own.get("__init__"), "__code__", None)
        needed = set(made_with.co_names if made_with else ())
        chosen = [name for name in own if name not in needed and (name == "__call__" or not name.startswith("__"))]
        return [own[name] for name in chosen if isinstance(own[name], FunctionType)]
    thing = getattr(thing, "_init_fn", thing)  # of what torch.library.custom_op makes an operator
    thing = inspect.unwrap(thing) if callable(thing) else thing
    return [thing] if isinstance(thing, FunctionType) else []


def _behind(value: Any) -> Any:
    """Return the function behind a property, a class method or a static method; anything else as it is."""
    return getattr(value, "fget", None) or getattr(value, "__func__", value)


@functools.cache
def _raising(name: str, free: tuple[str, ...]) -> CodeType:
    """Return code for any arguments that calls :func:`used`, and refers to the same outer variables as the code it replaces."""
    outer = "".join(f"    {variable} = None\n" for variable in free)
    text = (
        f"def outer():\n{outer}"
        f"    def blocked(*args, **kwargs):\n"
        f"        from {__name__} import used\n"
        f"        used({name!r})\n"
        f"        return ({', '.join(free)})\n"
        f"    return blocked\n"
    )
    names: dict[str, Any] = {}
    exec(text, names)
    code: CodeType = names["outer"]().__code__
    return code
