"""Libraries that a student's source mentions, and that its exercise may not use (:mod:`autograder.runtime.blocked.installed`)."""

import ast
import functools
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from autograder.runtime.blocked.installed import KNOWN, is_withheld
from autograder.runtime.blocked.mentions import globals_in, reached
from autograder.runtime.failure import CheckFailure

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
    return _bound(ast.parse(text))


def _bound(tree: ast.AST) -> dict[str, str]:
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
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
    """Return the library that an import of this dotted name needs at once, if exercises may not use it; otherwise "".

    ``file`` reads a file beside the notebook: a module of the student's own comes before a library of its name.
    """
    return _needed(
        name, libraries, file, lambda content: next((x for x in _at_once(content) if is_withheld(x, libraries)), "")
    )


def used(name: str, libraries: tuple[str, ...] | None, file: Callable[[str], bytes | None]) -> str:
    """Return the library that what has this dotted name uses, if exercises may not use it; otherwise "".

    Of a module of the student's own only what the function itself uses counts, directly or through others: what else the module
    imports does no harm.
    """
    own = name.split(".")[1:2]
    return _needed(name, libraries, file, lambda content: _used_by(content, *own, libraries=libraries) if own else "")


def _needed(
    name: str,
    libraries: tuple[str, ...] | None,
    file: Callable[[str], bytes | None],
    of_module: Callable[[bytes], str],
) -> str:
    root = name.partition(".")[0]
    if libraries is None or not root or root in KNOWN:
        return ""
    if (content := file(f"{root}.py")) is None:
        return name if is_withheld(root, libraries) else ""
    return of_module(content)


@functools.lru_cache(maxsize=32)
def _at_once(content: bytes) -> tuple[str, ...]:
    """Return what a module imports at its top level."""
    nodes = (node for node in _parsed(content).body if isinstance(node, ast.Import | ast.ImportFrom))
    return tuple(name for node in nodes for _, name in _imported(node))


def _parsed(content: bytes) -> ast.Module:
    """Return a module's syntax tree, an empty one if it is very long or cannot be read."""
    try:
        return ast.parse(content if len(content) <= LONGEST else b"")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


@functools.lru_cache(maxsize=128)
def _used_by(content: bytes, name: str, libraries: tuple[str, ...] | None) -> str:
    """Return the library that a function or class of a module uses, if exercises may not."""
    tree = _parsed(content)
    parts = {part.name: ast.unparse(part) for part in tree.body if isinstance(part, ast.FunctionDef | ast.ClassDef)}
    meant = {own: meaning for own, meaning in _bound(tree).items() if is_withheld(meaning, libraries)}
    for text in reached(name, lambda each: parts.get(each, "")):
        inner = [found for found, _ in imports(text) if is_withheld(found, libraries)]
        if found := [meant[each] for each in sorted(globals_in(text)) if each in meant] + inner:
            return found[0]
    return ""


def mention(
    source: str, meaning: Callable[[str], str], libraries: tuple[str, ...] | None, file: Callable[[str], bytes | None]
) -> CheckFailure | None:
    """Look for a library in a student's source that its exercise may not use. Comments and strings do not count.

    ``meaning`` returns the dotted name of what a global name of the notebook means, or "".
    """
    source = textwrap.dedent(source)
    read, tree = globals_in(source), ast.parse(source)
    parts = {id(node.value): f".{node.attr}" for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in read]
    for name, line in imports(source):
        if found := needed(name, libraries, file):
            return failure(found, line)
    for node in names:
        what = meaning(node.id)
        own = file(f"{what.partition('.')[0]}.py") is not None
        if found := used(what + parts.get(id(node), "") if own else what, libraries, file):
            return failure(found, node.lineno)
    return None


def failure(name: str, line: int | None = None) -> CheckFailure:
    """Return the failure that says which library was used, and in which line of the student's cell, if that is known."""
    where = f" (line {line} of your cell)" if line else ""
    library = name.partition(".")[0]
    plain = re.fullmatch(r"[A-Za-z0-9_.]{1,80}", name)  # the rest of the name may be anything that a student makes up
    return CheckFailure(
        "forbidden",
        f"{name if plain else library} is not allowed in this exercise{where}.",
        cause="another library",
        hint=f"It is graded where {library} cannot be imported, because such libraries hold ready-made answers. "
        "Write the steps with PyTorch; you may compare with it in a cell of your own.",
    )
