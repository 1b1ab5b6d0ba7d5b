"""The pytest side of the checks: fixtures, the ``--submission`` option, and failures written for students.

``check("softmax")`` in a notebook and ``pytest autograder/checks --submission NOTEBOOK`` both use it.
"""

import warnings
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder import measure
from autograder.draw import Draw, Sizes, fresh_seed
from autograder.failure import CheckFailure, PartialCredit
from autograder.torch_state import known_torch_state

STUDENT = pytest.StashKey[Any]()
SEED = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("autograder")
    group.addoption("--submission", metavar="NOTEBOOK", help="the notebook whose answers are checked")
    group.addoption("--draw-seed", type=int, default=None, help="draw the inputs from this seed (default: a fresh one)")


def pytest_report_header(config: pytest.Config) -> str:
    return f"autograder: inputs drawn from seed {_seed(config)}"


@pytest.fixture
def student(request: pytest.FixtureRequest) -> Any:
    """The student whose work is checked."""
    return _student(request.config)


@pytest.fixture(autouse=True)
def surroundings(request: pytest.FixtureRequest, student: Any) -> Iterator[None]:
    """One thread, PyTorch in a known state, warnings harmless; and no answer whose source uses a forbidden function."""
    exercise = next(request.node.iter_markers("exercise")).args[0]
    used = student.forbidden_use(exercise)
    if used is not None:
        raise used
    with measure.threads(1), known_torch_state(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def sizes() -> Sizes:
    """Different primes for every dimension."""
    return Sizes()


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """The number that every input is drawn from."""
    return _seed(request.config)


@pytest.fixture
def draw(request: pytest.FixtureRequest, seed: int) -> Draw:
    """Fresh inputs for this check."""
    return Draw(seed, request.function.__name__)


def _seed(config: pytest.Config) -> int:
    if SEED not in config.stash:
        asked = config.getoption("draw_seed", None)
        config.stash[SEED] = fresh_seed() if asked is None else asked
    return config.stash[SEED]


def _student(config: pytest.Config) -> Any:
    if STUDENT not in config.stash:
        from autograder import catalogue, notebooks
        from autograder.files import files_in
        from autograder.local import LocalStudent

        path = Path(_submission(config))
        assignment = catalogue.assignment_of(path)
        config.stash[STUDENT] = LocalStudent(
            notebooks.run(path).namespace, catalogue.forbidden(assignment), file=files_in(path.parent)
        )
    return config.stash[STUDENT]


def _submission(config: pytest.Config) -> str:
    path = config.getoption("submission", None)
    if not path:
        raise pytest.UsageError(
            "The checks need an answer to look at. Expected: pytest autograder/checks --submission NOTEBOOK. "
            "The project's own tests are run by `pytest` alone."
        )
    return path


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``--submission``, keep only the checks of the assignment that the notebook belongs to."""
    if STUDENT in config.stash or not any(item.get_closest_marker("exercise") for item in items):
        return
    from autograder import catalogue

    folder = catalogue.checks_folder(catalogue.assignment_of(Path(_submission(config))))
    keep = [item for item in items if item.path.parent == folder]
    config.hook.pytest_deselected(items=[item for item in items if item not in keep])
    items[:] = keep


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show a failure as the student reads it, not as a traceback through the check."""
    report = yield
    error = call.excinfo.value if call.excinfo else None
    if isinstance(item, pytest.Function) and isinstance(error, CheckFailure | PartialCredit):
        report.longrepr = f"{(item.function.__doc__ or item.name).strip()}\n{_explained(item, error)}"
    return report


def _explained(item: pytest.Function, error: CheckFailure | PartialCredit) -> str:
    if not item.config.getoption("submission", None):
        return str(error)  # in a notebook, runner.py asks for the diagnoses of all failures together
    from autograder.diagnosis import Lost, diagnose

    failure = error.failure if isinstance(error, PartialCredit) else error
    exercise = next(item.iter_markers("exercise")).args[0]
    [found] = diagnose(exercise, [Lost(item.function, failure)], _seed(item.config))
    return f"{failure}\nLikely cause: {found.name}. {found.hint}" if found else str(failure)
