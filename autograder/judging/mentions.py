"""Which names a student's source mentions."""

import ast
import re
import textwrap
from collections.abc import Callable


def mentioned(exercise: str, names: list[str], source: Callable[[str], str | None]) -> list[str]:
    """Return those of ``names`` that ``exercise`` mentions, directly or through other definitions whose ``source`` is known."""
    first = source(exercise)
    if not first:
        return names
    words = _names(first)
    waiting = list(words - {exercise})
    while waiting:
        found = _names(source(waiting.pop()) or "") - words
        words |= found
        waiting += found
    return [name for name in names if name in words]


def _names(text: str) -> set[str]:
    """Return the plain names that a source uses: ``softmax``, but not ``torch.softmax``."""
    try:
        return {node.id for node in ast.walk(ast.parse(textwrap.dedent(text))) if isinstance(node, ast.Name)}
    except (SyntaxError, ValueError):
        return set(re.findall(r"\w+", text))
