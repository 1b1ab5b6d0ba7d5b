"""A pytest plug-in: ``--only NAME`` runs what concerns one exercise, one lesson or one module, and collects little else.

- An exercise (``softmax``) or a lesson (``01-attention``, ``attention``): the tests in ``tests/lessons`` and of the build that
  have it as a parameter, or that mention the exercise.
- A module (``masks``, ``autograder/runtime/measure.py``, ``course_lib.plots.heat``): the test files that import it, or, if none
  does, those that import what imports it.
- A test file (``test_training_fit``): its tests.

Slow tests are left out here as in ``make test``, and so is what would take longer than half a minute by its last durations.
"""

import ast
import inspect
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from known import ASSIGNMENTS, LESSONS

from autograder.content.lesson import package_of

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent

#: The folders of tests for a part of the autograder.
PACKAGES = {path.name for path in TESTS.glob("unit/*") if path.is_dir()} | {"sandbox"}

#: Seconds, by the last ``make test``, after which the rest is left out.
MOST = 8.0

#: They import the whole house, and come last.
OF_EVERYTHING = ("test_contract.py", "test_one_lesson.py", "test_defences.py")

#: Where the tests of lessons are: files of other folders use an exercise as an example.
OF_LESSONS = ("lessons/test_contract.py", "lessons/test_references*.py", "unit/authoring/test_build.py")


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


@cache
def modules() -> dict[str, Path]:
    """Return the modules of the course's packages by their full names."""
    paths = [path for package in ("autograder", "course_lib") for path in (ROOT / package).rglob("*.py")]
    paths = [path for path in paths if "answers" not in path.parts]
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def importers(names: set[str], paths: Iterable[Path]) -> set[Path]:
    """Return the files that import one of these modules, or something in it."""
    return {path for path in paths if imports(path) & names}


def files_for(name: str) -> set[Path]:
    """Return the test files in which something concerns ``name``. Raises pytest.UsageError if there are none.

    For a module that no test imports, those that import what imports it.
    """
    if lessons := exercises().get(name) or {assignment_named(name)} - {None}:
        content = tuple(f"autograder.lessons.{package_of(lesson)}" for lesson in lessons if lesson)
        found = {path for pattern in OF_LESSONS for path in TESTS.glob(pattern)}
        of_all = {path for path in found if "references" not in path.name}
        return of_all | {path for path in found if any(one.startswith(content) for one in imports(path))}
    every = [path for path in TESTS.rglob("test_*.py") if "cases" not in path.parts]
    wanted = re.sub(r"[/\\]", ".", name.removesuffix(".py")).removeprefix("tests.")
    found = {path for path in every if wanted in (path.stem, ".".join(path.relative_to(TESTS).with_suffix("").parts))}
    found |= {path for path in every if path.stem == f"test_{wanted}"}
    level, seen = {full for full in modules() if f".{full}".endswith(f".{wanted}")}, set[str]()
    found |= importers(level, every)
    while level and not found:
        seen |= level
        above = importers(level, modules().values())
        level = {full for full, path in modules().items() if path in above} - seen
        found = importers(level, every)
    if not found:  # it runs in a process of its own, or only checks import it
        found = {
            path for part in re.split(r"\W", wanted) for path in TESTS.rglob(f"{part}/test_*.py") if part in PACKAGES
        }
    if not found:
        raise pytest.UsageError(
            f"--only {name}: no exercise, lesson, module or test file of this name has tests. "
            f"Expected for example softmax, {ASSIGNMENTS[0]}, masks or test_training_fit."
        )
    return found


def pytest_configure(config: pytest.Config) -> None:
    if name := config.getoption("only"):
        config.pluginmanager.register(Only(name), "course-only")


class Only:
    def __init__(self, name: str):
        self.name, self.files, self.left_out = name, files_for(name), 0
        self.assignments = exercises().get(name) or {assignment_named(name)} - {None}

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        return True if collection_path.is_file() and collection_path not in self.files else None

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        last = (config.cache.get("durations/fast", None) or {}) if config.cache else {}
        took = {test: wall for test, (wall, _) in last.get("tests", {}).items()}
        chosen, spent = [], 0.0
        for item in sorted(filter(self.concerns, items), key=lambda item: self.rank(item, took.get(item.nodeid, 0.0))):
            spent += took.get(item.nodeid, 0.0)
            if spent <= MOST:
                chosen.append(item)
            else:
                self.left_out += 1
        keep = {id(item) for item in chosen}
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in keep])
        items[:] = [item for item in items if id(item) in keep]

    def rank(self, item: pytest.Item, took: float) -> tuple:
        """Order by what is closest: for a module, files that import few others; and what is fast first."""
        if self.assignments:
            return (took,)
        ours = [name for name in imports(item.path) if name in modules()]
        return item.path.name in OF_EVERYTHING, f"test_{self.name}.py" != item.path.name, len(ours), item.path, took

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.left_out:
            terminalreporter.write_line(f"left out for the time: {self.left_out} more that concern {self.name}")

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
