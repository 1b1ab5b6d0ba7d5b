"""Ready-made functions that a lesson forbids: found in the source, and disabled while checking.

A search of the source finds honest use at once and gives the line. What the search misses (an alias, ``getattr``, a helper in
another cell) is blocked when it is called: PyTorch passes every call from Python to a ``TorchFunctionMode``, its profiler lists
every operator that ran below that level, and a function written in Python gets other code, which all references to it share.
"""

import ast
import contextlib
import dataclasses
import functools
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

from torch.overrides import TorchFunctionMode

from autograder.runtime import measure
from autograder.runtime.blocked.definitions import defined_in, import_package, written_in_python
from autograder.runtime.blocked.operators import COPIES, OPERATORS
from autograder.runtime.blocked.ready_made import HITS, NotLoaded, failure, raising, used
from autograder.runtime.failure import CheckFailure


def resolve(name: str) -> Any:
    """Return the object that a dotted name refers to, or None if its module has not been imported.

    Nothing is imported here: some PyTorch modules take a second to load, and a module that is not imported cannot be in use.
    """
    module, _, attribute = name.rpartition(".")
    return getattr(sys.modules.get(module), attribute, None)


def objects_of(forbid: tuple[str, ...]) -> dict[str, Any]:
    """Return the objects that the names refer to, by name. A package stands for all that its modules define.

    A package is imported, so that none of its modules can be imported later with nothing replaced in it.
    """
    return _objects_of(forbid, _modules())


def _modules() -> tuple[int, str]:
    """Return what changes when a module is imported, so that objects are looked for again only then."""
    return len(sys.modules), next(reversed(sys.modules))


@functools.lru_cache
def _objects_of(forbid: tuple[str, ...], _: tuple[int, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in with_copies(forbid):
        import_package(name)
        if (thing := resolve(name)) is not None and not isinstance(thing, ModuleType):
            found[name] = thing
        elif name in sys.modules:
            found |= defined_in(name)
    return found | {name: thing for name, thing in written_in_python().items() if is_behind(_as_operator(name), forbid)}


def with_copies(forbid: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names, with those of what computes the same in Python."""
    return (*forbid, *(copy for name in forbid for copy in COPIES.get(name, ())))


def _as_operator(name: str) -> str:
    """Return the operator that has the name of a Python function."""
    return f"torch::{name.rpartition('.')[2]}"


def mentions(source: str, namespace: Mapping[str, Any], forbid: tuple[str, ...]) -> CheckFailure | None:
    """Look for the forbidden functions in a student's source. Comments and strings do not count."""
    objects = {id(thing): name for name, thing in objects_of(forbid).items()}
    for node in ast.walk(ast.parse(textwrap.dedent(source))):
        if isinstance(node, ast.ImportFrom):
            for name in {f"{node.module}.{alias.name}" for alias in node.names} & set(forbid):
                return failure(name, node.lineno)
        if isinstance(node, ast.Name) and isinstance(namespace.get(node.id), NotLoaded):
            return failure(namespace[node.id].name, node.lineno)
        for thing in _meant(node, namespace):
            if id(thing) in objects:
                return failure(objects[id(thing)], getattr(node, "lineno", None))
    return None


def first_found(texts: Iterable[str], *looks: Callable[[str], CheckFailure | None]) -> CheckFailure | None:
    """Look through an exercise's source and those that it reaches. A line is told of the first only: it is that of its cell."""
    for place, text in enumerate(texts):
        if found := next(filter(None, (look(text) for look in looks)), None):
            return (
                dataclasses.replace(found, message=re.sub(r" \(line \d+ of your cell\)", "", found.message))
                if place
                else found
            )
    return None


def _meant(node: ast.AST, namespace: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the objects that a name or an attribute refers to."""
    if isinstance(node, ast.Name):
        yield namespace.get(node.id)
    elif isinstance(node, ast.Attribute):
        yield _attribute(node, namespace)


def _attribute(node: ast.expr, namespace: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return namespace.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _attribute(node.value, namespace)
        # Only modules are inspected: reading an attribute of another object could run the student's code.
        return getattr(owner, node.attr, None) if type(owner) is type(ast) else None
    return None


class _FunctionWatch(TorchFunctionMode):
    """Refuses the forbidden objects, and what has the name of an operator behind one: a method, a private function."""

    def __init__(self, names: Mapping[int, str], forbid: tuple[str, ...]):
        super().__init__()
        self.names, self.forbid = names, forbid

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if id(func) in self.names:
            used(self.names[id(func)])
        if _named_as_one_behind(name := getattr(func, "__name__", ""), self.forbid):
            used(name)
        return func(*args, **(kwargs or {}))


@functools.lru_cache(maxsize=2**14)
def _named_as_one_behind(name: str, forbid: tuple[str, ...]) -> bool:
    return is_behind(_as_operator(name), forbid)


def is_behind(operator: str, forbid: tuple[str, ...]) -> bool:
    """Return whether a PyTorch operator, such as ``aten::avg_pool1d.out``, implements one of the functions in ``forbid``."""
    own = operator.rpartition("::")[2].partition(".")[0].removeprefix("_")
    names, parts = _operators_of(forbid)
    return own in names or parts.search(operator) is not None


@functools.cache
def _operators_of(forbid: tuple[str, ...]) -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the names of the forbidden functions of PyTorch, and a pattern for the operators with names of their own."""
    names = [name for name in forbid if name.startswith("torch.")]
    parts = [re.escape(part) for name in names for part in OPERATORS.get(name, ())]
    return frozenset(name.rpartition(".")[2] for name in names), re.compile("|".join(parts) or "(?!)")


def named_in(failure: CheckFailure, forbid: tuple[str, ...]) -> bool:
    """Return whether a failure of this module is about one of the functions in ``forbid``."""
    name = failure.message.partition(" is not allowed")[0]
    below = f"::{name.rpartition('::')[2].rpartition('.')[2]}"
    return name in forbid or any(name.startswith(f"{one}.") for one in forbid) or is_behind(below, forbid)


def below_python(function: Callable[[], Any], forbid: tuple[str, ...]) -> Any:
    """Call the function, raise a failure if a forbidden operator ran, and return the function's result."""
    results = []
    for name in sorted(measure.operators(lambda: results.append(function()))):
        if is_behind(name, forbid):
            raise failure(name)
    return results[0]


@contextlib.contextmanager
def unavailable(forbid: tuple[str, ...]) -> Iterator[None]:
    """Make the forbidden functions raise while the student's code runs. If that code hides the error, raise it at the end."""
    if not forbid:
        yield
        return
    HITS.clear()
    names, replaced = _replaced(forbid, _modules())
    before = [(function, function.__code__) for function, _ in replaced]
    try:
        for function, code in replaced:
            function.__code__ = code
        with _FunctionWatch(names, forbid):
            yield
    finally:
        for function, code in before:
            function.__code__ = code
    if HITS:
        raise failure(HITS[0])


@functools.lru_cache
def _replaced(
    forbid: tuple[str, ...], modules: tuple[int, str]
) -> tuple[dict[int, str], list[tuple[FunctionType, CodeType]]]:
    """Return the forbidden objects' names by identity, and the functions that are replaced, each with the code that raises."""
    objects = _objects_of(forbid, modules)
    pairs = [pair for name, thing in objects.items() for pair in raising(thing, name)]
    return {id(thing): name for name, thing in objects.items()}, pairs
