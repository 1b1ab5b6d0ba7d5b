"""A pytest plug-in: ``--only NAME`` runs what concerns one exercise, one lesson or one module, and collects little else.

- An exercise (``softmax``) or a lesson (``01-attention``, ``attention``): the tests in ``tests/lessons`` and of the build that
  have it as a parameter, or that mention the exercise.
- A module (``masks``, ``autograder/judging/measure.py``, ``course_lib.plots.heat``): the test files that import it.
- A test file (``test_fit``): its tests.

Slow tests are left out here as in ``make test``.
"""

import ast
import inspect
import re
from functools import cache
from pathlib import Path

import pytest
from known import ASSIGNMENTS, LESSONS

from autograder.judging.lesson import package_of

TESTS = Path(__file__).parent
ROOT = TESTS.parent

#: Where the tests of lessons are: files of other folders use an exercise as an example.
OF_LESSONS = ("lessons/test_contract.py", "lessons/test_references*.py", "authoring/test_build.py")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--only", metavar="NAME", help="run what concerns one exercise, lesson, module or test file")


@cache
def exercises() -> dict[str, set[str]]:
    """Return the exercises, each with the assignments that have one of this name."""
    found: dict[str, set[str]] = {}
    for assignment in ASSIGNMENTS:
        for name in LESSONS.of(assignment).exercises:
            found.setdefault(name, set()).add(assignment)
    return found


def assignment_named(name: str) -> str | None:
    return next((each for each in ASSIGNMENTS if name in (each, package_of(each))), None)


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the full names of what a file imports, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module)} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def files_for(name: str) -> set[Path]:
    """Return the test files in which something concerns ``name``. Raises pytest.UsageError if there are none."""
    if name in exercises() or assignment_named(name):
        return {path for pattern in OF_LESSONS for path in TESTS.glob(pattern)}
    every = [path for path in TESTS.rglob("test_*.py") if "cases" not in path.parts]
    module = re.sub(r"[/\\]", ".", name.removesuffix(".py"))
    found = {
        path
        for path in every
        if path.stem in (module, f"test_{module}") or any(f".{one}".endswith(f".{module}") for one in imports(path))
    }
    if not found:
        raise pytest.UsageError(
            f"--only {name}: no exercise, lesson, module or test file of this name has tests. "
            f"Expected for example softmax, {ASSIGNMENTS[0]}, masks or test_fit."
        )
    return found


def pytest_configure(config: pytest.Config) -> None:
    if name := config.getoption("only"):
        config.pluginmanager.register(Only(name), "course-only")


class Only:
    def __init__(self, name: str):
        self.name, self.files = name, files_for(name)
        self.assignments = exercises().get(name) or {assignment_named(name)} - {None}

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        return True if collection_path.is_file() and collection_path not in self.files else None

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if self.concerns(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen

    def concerns(self, item: pytest.Item) -> bool:
        if not self.assignments:
            return True
        held = set(map(str, getattr(item, "callspec", item).params.values())) if hasattr(item, "callspec") else set()
        of_exercise = self.name in exercises()
        lessons = {each for each in ASSIGNMENTS if any(each in value for value in held)}
        named = {name for name in exercises() if name in held}
        if lessons:
            return bool(lessons & self.assignments) and (not of_exercise or not named or self.name in named)
        if of_exercise:
            return re.search(rf"\b{self.name}\b", inspect.getsource(item.function)) is not None
        return any(f".lessons.{package_of(each)}" in " ".join(imports(item.path)) for each in self.assignments)
