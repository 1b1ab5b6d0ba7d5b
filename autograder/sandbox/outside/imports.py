"""Resolve the names that a notebook imports, without importing anything, and find blocked libraries and functions."""

import ast
import functools
import re
import sys
from collections.abc import Callable, Container, Mapping
from typing import Any

from autograder.content.lesson import Lesson
from autograder.content.notebook import without_magics
from autograder.runtime.blocked import calls, source
from autograder.runtime.blocked.calls import Unloaded, is_within, resolve
from autograder.runtime.blocked.source import LONGEST, imports, is_blocked, needed, reachable_sources
from autograder.runtime.errors import CheckFailure


def imported(text: str, forbid: tuple[str, ...]) -> dict[str, Any]:
    """Return the names bound by a notebook's imports, with their objects, as far as the grader has loaded those modules.

    Nothing is imported here. The name of an unloaded object in ``forbid`` is bound to an :class:`Unloaded`.
    """
    objects: dict[str, Any] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                target = alias.name if alias.asname else alias.name.partition(".")[0]
                objects[alias.asname or target] = sys.modules.get(target)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                obj = resolve(name) or sys.modules.get(name)
                if obj is None and is_within(name, forbid):
                    obj = Unloaded(name)
                objects[alias.asname or alias.name] = obj
    return objects


def scripts_run(text: str) -> list[str]:
    """Return the names of the scripts that a cell runs with ``%run``: for each, the last word that may be one."""
    lines = (line.split() for line in text.splitlines() if line.lstrip().startswith("%run"))
    words = ([word.rstrip(";").strip("\"'") for word in reversed(line[1:])] for line in lines if line[0] == "%run")
    scripts = (next((word for word in line if word.endswith(".py")), "") for line in words)
    return [name for name in scripts if name]


def imports_withheld(text: str, libraries: tuple[str, ...] | None, file: Callable[[str], bytes | None]) -> bool:
    """Return whether a cell, or a module or script beside the notebook that it uses, imports a library blocked in exercises."""
    scripts = [file(name) or b"" for name in dict.fromkeys(scripts_run(text))] if libraries is not None else []
    texts = [text, *(script.decode(errors="replace") for script in scripts if len(script) <= LONGEST)]
    return libraries is not None and any(needed(name, libraries, file) for code in texts for name in _imported_in(code))


@functools.lru_cache(maxsize=256)
def _imported_in(text: str) -> tuple[str, ...]:
    """Return the distinct names that a cell or script imports; none if it cannot be parsed, which running it will report."""
    try:
        names_and_lines = imports(without_magics(text), tried=True) if "import" in text else ()
        return tuple(dict.fromkeys(name for name, _ in names_and_lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def lacks_withheld(error: tuple[str, str, str] | None, libraries: tuple[str, ...] | None) -> bool:
    """Return whether a cell stopped because an installed library could not be imported."""
    lacking = (
        re.fullmatch(r"No module named '([\w.]{1,100})'", error[1])
        if error and error[0] == "ModuleNotFoundError"
        else None
    )
    return lacking is not None and is_blocked(lacking[1].partition(".")[0], libraries)


#: Among the sources: the imports at the top level of cells. The empty name stands for all imports.
IMPORTS = "import"


def found_in(
    exercise: str,
    lesson: Lesson,
    sources: Mapping[str, str],
    data: Container[str],
    file: Callable[[str], bytes | None],
) -> CheckFailure | None:
    """Return a failure if an exercise, or anything in the notebook that it uses, mentions a blocked function or library.

    ``sources`` maps each name to the source text that defines it. The names in ``data`` are plain data and are not followed.
    """
    forbid, may_use = lesson.forbidden_in(exercise), lesson.libraries_in(exercise)
    try:
        texts = reachable_sources(
            exercise, lambda name: "" if name in data else sources.get(name, ""), lesson.exercises
        )
        names, bound = imported(sources[""], forbid), source.bound(sources.get(IMPORTS, ""))
        # What the notebook defines anew is the student's own.
        meanings = {name: meaning for name, meaning in bound.items() if name not in sources}
        return calls.first_violation(
            texts,
            lambda text: source.mention(text, lambda name: meanings.get(name, ""), may_use, file),
            lambda text: calls.mentions(text, names, forbid),
        )
    except (KeyError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # a forbidden call still raises at run time
