"""The fixtures of the checks. The caller of pytest puts the student and the seed into its stash."""

import random
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from autograder.judging import measure
from autograder.judging.tools.draw import Draw, Sizes
from autograder.judging.torch_state import known_torch_state
from autograder.judging.variant import require_variant, variant_of

STUDENT = pytest.StashKey[Any]()
SEED = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    for mark in ("exercise(name): the exercise of a check", "points(value): its points", "measured: it measures"):
        config.addinivalue_line("markers", mark)


@pytest.fixture
def student(request: pytest.FixtureRequest) -> Any:
    """The student whose work is checked."""
    return request.config.stash[STUDENT]


@pytest.fixture(autouse=True)
def surroundings(request: pytest.FixtureRequest, student: Any) -> Iterator[None]:
    """Use one thread and a known PyTorch state, ignore warnings, and fail an answer whose source uses a forbidden function."""
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
    """The number from which every input is drawn."""
    return request.config.stash[SEED]


@pytest.fixture
def draw(request: pytest.FixtureRequest, seed: int) -> Draw:
    """Fresh inputs for this check."""
    return Draw(seed, request.function.__name__)


@pytest.fixture
def variant(request: pytest.FixtureRequest, student: Any) -> random.Random:
    """The student's own numbers of this exercise, as the notebook draws them with ``course_lib.variants.numbers``."""
    require_variant(request.function, student.lesson)
    return variant_of(request.function, student.student_id)
