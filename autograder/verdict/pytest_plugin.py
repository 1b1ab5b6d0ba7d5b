"""``pytest autograder/lessons/LESSON/checks --submission NOTEBOOK``: run the checks of a lesson under pytest."""

import contextlib
from collections.abc import Generator
from pathlib import Path

import pytest

from autograder.checks.execute import NotebookStudent, execute
from autograder.content import notebook
from autograder.content.lesson import Lesson, Lessons
from autograder.diagnosis.diagnose import diagnose
from autograder.diagnosis.search import FailedCheck
from autograder.runtime.errors import CheckFailure, PartialCredit
from autograder.runtime.files import files_in
from autograder.runtime.seeds import fresh_seed
from course_lib import variants

STUDENT = pytest.StashKey[NotebookStudent]()
SEED = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("autograder")
    group.addoption("--submission", metavar="NOTEBOOK", help="the notebook whose answers are checked")
    group.addoption("--draw-seed", type=int, default=None, help="draw the inputs from this seed (default: a fresh one)")


def pytest_configure(config: pytest.Config) -> None:
    for mark in (
        "exercise(name): its exercise",
        "points(value): its points",
        "measured: it measures",
        "promises: see runtime",
    ):
        config.addinivalue_line("markers", mark)
    seed = config.getoption("draw_seed")
    config.stash[SEED] = fresh_seed() if seed is None else seed


def pytest_report_header(config: pytest.Config) -> str:
    return f"autograder: inputs drawn from seed {config.stash[SEED]}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the notebook once for the collected checks, which must all belong to one lesson."""
    check_items = [item for item in items if isinstance(item, pytest.Function) and item.get_closest_marker("exercise")]
    if not check_items:
        return
    packages = {item.function.__module__.rpartition(".checks.")[0] for item in check_items}
    path = config.getoption("submission")
    if not path:
        raise pytest.UsageError(
            "The checks need an answer to look at. Expected: pytest autograder/lessons/LESSON/checks --submission NOTEBOOK. "
            "The project's own tests are run by `pytest` alone."
        )
    if len(packages) != 1:
        raise pytest.UsageError(f"Expected the checks of one lesson, but got those of {', '.join(sorted(packages))}.")
    package, _, name = packages.pop().rpartition(".")
    exit_stack = contextlib.ExitStack()
    exit_stack.enter_context(variants.graded_as(variants.student(Path(path).parent)))
    config.add_cleanup(exit_stack.close)
    names = notebook.run(Path(path)).namespace
    lesson = Lesson(name, Lessons(package), name)
    config.stash[STUDENT] = NotebookStudent(names, lesson, file=files_in(Path(path).parent))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Execute a check as a notebook does."""
    if STUDENT not in pyfuncitem.config.stash:
        return None
    execution = execute(pyfuncitem.function, pyfuncitem.config.stash[STUDENT], pyfuncitem.config.stash[SEED])
    print(execution.printed, end="")
    if error := execution.error or execution.breach:
        raise error
    return True


@pytest.fixture
def student() -> None:
    """The arguments of checks, by name, which :func:`~autograder.checks.execute.execute` provides."""


draw = seed = sizes = variant = student


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report a failure as the student sees it, with its likely cause, instead of a traceback through the check."""
    report = yield
    error = call.excinfo.value if call.excinfo else None
    if isinstance(item, pytest.Function) and isinstance(error, CheckFailure | PartialCredit):
        failure = error.failure if isinstance(error, PartialCredit) else error
        report.longrepr = f"{(item.function.__doc__ or item.name).strip()}\n{_explained(item, failure)}"
    return report


def _explained(item: pytest.Function, failure: CheckFailure) -> str:
    exercise = next(item.iter_markers("exercise")).args[0]
    lesson = item.config.stash[STUDENT].lesson
    [diagnosis] = diagnose(lesson, exercise, [FailedCheck(item.function, failure)], item.config.stash[SEED])
    return f"{failure}\nLikely cause: {diagnosis.name}. {diagnosis.hint}" if diagnosis else str(failure)
