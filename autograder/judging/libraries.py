"""Libraries that a student's source mentions, and that its exercise may not use (:mod:`autograder.judging.installed`)."""

import ast
import functools
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from autograder.judging.failure import CheckFailure
from autograder.judging.installed import KNOWN, is_withheld
from autograder.judging.mentions import globals_in

#: Bytes of a module beside the notebook that are looked through.
LONGEST = 200_000


def imports(text: str, tried: bool = False) -> Iterator[tuple[str, int]]:
    """Yield the dotted name of everything that a source imports from elsewhere, with its line. Raises SyntaxError.

    An import below ``try`` is left out unless ``tried``: whoever writes it goes on without.
    """
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((name, node.lineno) for _, name in _imported(node))
        elif tried or not isinstance(node, ast.Try):
            waiting += reversed([*ast.iter_child_nodes(node)])


def _imported(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str]]:
    """Return the names that a statement binds, each with the dotted name of what it means; none for a relative import."""
    if isinstance(node, ast.Import):
        return [(alias.asname or alias.name.partition(".")[0], alias.name) for alias in node.names]
    return [] if node.level else [(alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names]


def bound(text: str) -> dict[str, str]:
    """Return the names that the imports of a source bind, with the dotted names of what they mean."""
    nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom))
    return {name: meaning for node in nodes for name, meaning in _imported(node)}


def home(thing: Any) -> str:
    """Return the dotted name of a module, or of a class or function or of an object's type; "" if that cannot be told."""
    if isinstance(thing, ModuleType):
        return thing.__name__
    if type(thing).__name__ == "ufunc":  # does not know its module
        return next(
            (f"{name}.{thing.__name__}" for name, module in [*sys.modules.items()] if _holds(module, thing)), ""
        )
    owner = thing if isinstance(thing, type) or inspect.isroutine(thing) else type(thing)
    module = getattr(owner, "__module__", None)
    return f"{module}.{owner.__name__}" if isinstance(module, str) else ""


def _holds(module: Any, thing: Any) -> bool:
    return isinstance(module, ModuleType) and vars(module).get(thing.__name__) is thing


def needed(name: str, libraries: tuple[str, ...] | None, file: Callable[[str], bytes | None]) -> str:
    """Return the library that what has this dotted name needs, if exercises may not use it; otherwise "".

    ``file`` reads a file beside the notebook: a module of the student's own comes before a library of its name, and needs what
    it imports at once, before anything in it can be used.
    """
    root = name.partition(".")[0]
    if libraries is None or not root or root in KNOWN:
        return ""
    if (content := file(f"{root}.py")) is None:
        return name if is_withheld(root, libraries) else ""
    return next((inner for inner in _at_once(content) if is_withheld(inner, libraries)), "")


@functools.lru_cache(maxsize=32)
def _at_once(content: bytes) -> tuple[str, ...]:
    """Return what a module imports at its top level. One that is very long, or cannot be read, tells nothing."""
    if len(content) > LONGEST:
        return ()
    try:
        body = ast.parse(content).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    nodes = (node for node in body if isinstance(node, ast.Import | ast.ImportFrom))
    return tuple(name for node in nodes for _, name in _imported(node))


def mention(
    source: str, meaning: Callable[[str], str], libraries: tuple[str, ...] | None, file: Callable[[str], bytes | None]
) -> CheckFailure | None:
    """Look for a library in a student's source that its exercise may not use. Comments and strings do not count.

    ``meaning`` returns the dotted name of what a global name of the notebook means, or "".
    """
    source = textwrap.dedent(source)
    read = globals_in(source)
    names = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name) and node.id in read]
    for line, name in (*((line, name) for name, line in imports(source)), *((n.lineno, meaning(n.id)) for n in names)):
        if found := needed(name, libraries, file):
            return failure(found, line)
    return None


def failure(name: str, line: int) -> CheckFailure:
    """Return the failure that says which library was used, and where."""
    library = name.partition(".")[0]
    plain = re.fullmatch(r"[A-Za-z0-9_.]{1,80}", name)  # the rest of the name may be anything that a student makes up
    return CheckFailure(
        "forbidden",
        f"{name if plain else library} is not allowed in this exercise (line {line} of your cell).",
        cause="another library",
        hint=f"It is graded where {library} cannot be imported, because such libraries hold ready-made answers. "
        "Write the steps with PyTorch; you may compare with it in a cell of your own.",
    )
