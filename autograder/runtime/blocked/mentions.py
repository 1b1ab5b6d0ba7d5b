"""Which names and numbers a student's source mentions."""

import ast
import functools
import inspect
import re
import symtable
import textwrap
from collections.abc import Callable, Container, Iterator, Mapping
from types import CodeType
from typing import Any


def mentioned(exercise: str, names: list[str], source: Callable[[str], str | None]) -> list[str]:
    """Return those of ``names`` that ``exercise`` mentions, directly or through other definitions of the notebook.

    A name with a dot before it, ``.softmax``, is that of an attribute, and ``-2`` is a number. ``source`` returns a definition's
    text, "" for any other name, and None if the text cannot be found; all names count then.
    """
    first = source(exercise)
    if not first:
        return names
    words = _names(first)
    waiting = list(words - {exercise})
    while waiting:
        text = source(waiting.pop())
        if text is None:
            return names
        found = _names(text) - words
        words |= found
        waiting += found
    return [name for name in names if name in words]


def reached(exercise: str, source: Callable[[str], str | None], others: Container[str] = ()) -> Iterator[str]:
    """Yield the source of ``exercise``, and of what it uses, directly or through others, but of none of ``others``.

    A variable of a function's own is nothing of the notebook, though a cell may have one of the same name.
    """
    waiting, seen = [exercise], {exercise}
    while waiting:
        if text := source(waiting.pop()):
            yield text
            found = {name for name in globals_in(text) if name not in others} - seen
            seen |= found
            waiting += sorted(found)


def globals_in(text: str) -> set[str]:
    """Return the global names that a source reads, in whatever scope; none if it cannot be parsed."""
    try:
        tables = [symtable.symtable(textwrap.dedent(text), "source", "exec")]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found = set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        found |= {each.get_name() for each in table.get_symbols() if each.is_referenced() and each.is_global()}
    return found


def source_in(namespace: Mapping[str, Any], name: str) -> str | None:
    """Return the source of a function or class that a notebook defines, "" for any other name, and None if it cannot be found."""
    thing = namespace.get(name)
    if getattr(thing, "__module__", None) != namespace.get("__name__", "builtins"):
        return ""  # imported: it does not know the notebook's names
    if inspect.isclass(thing):
        return _source_of_class(thing, namespace)
    return text_of(thing) if inspect.isroutine(thing) else ""


def _source_of_class(thing: type, namespace: Mapping[str, Any]) -> str | None:
    """Return what a class consists of, part by part: Python cannot find the whole text of a class that a notebook defines."""
    values = [part.fget if isinstance(part, property) else part for part in vars(thing).values()]
    parts = {id(part) for part in (*thing.__bases__, *values) if inspect.isclass(part) or inspect.isroutine(part)}
    named = [name for name, value in namespace.items() if id(value) in parts]
    found = [text_of(part) for part in values if inspect.isroutine(part)]
    written = [
        textwrap.dedent(text) for text in found if text
    ]  # Python itself writes some, such as those of a dataclass
    return "\n".join(["pass", *named, *written]) if written or not found else None


def text_of(routine: Any) -> str | None:
    """Return the source of a function, or None if it cannot be found.

    Python looks for the text of a notebook's function in a module of the notebook's name, if there is one: that is another text.
    """
    code = getattr(inspect.unwrap(routine), "__code__", None)
    return _source(code, code.co_filename) if isinstance(code, CodeType) else _source_of(routine, "")


@functools.lru_cache(maxsize=2**10)
def _source(code: CodeType, _: str) -> str | None:
    """Look for a source once: Python reads a whole file, or cell, for each. Code is equal in whatever file it stands."""
    return _source_of(code, code.co_name)


def _source_of(thing: Any, name: str) -> str | None:
    try:
        text = inspect.getsource(thing)
    except (OSError, TypeError):
        return None
    return text if re.search(r"\blambda\b" if name == "<lambda>" else rf"\bdef\s+{re.escape(name)}\b", text) else None


def _names(text: str) -> set[str]:
    """Return the plain names that a source uses: ``softmax``, or ``.softmax`` of ``torch.softmax``; and its numbers."""
    try:
        return {name for node in ast.walk(ast.parse(textwrap.dedent(text))) if (name := _name(node))}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        words = set(re.findall(r"-?\w+", text))
        return words | {f".{word}" for word in words}


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f".{node.attr}"
    signed = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
    number = signed or (isinstance(node, ast.Constant) and type(node.value) in (int, float))
    return ast.unparse(node) if number else ""
