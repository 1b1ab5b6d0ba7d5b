"""What several test files use."""

import functools
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import jaxtyping
import pytest
import torch
from browser import CHROMIUM
from jaxtyping import install_import_hook
from sample_class import make

from autograder.authoring.numbers import SHORT
from autograder.content.lesson import Lessons
from autograder.grading.course import Course
from autograder.sandbox.outside.bubblewrap import problem

pytest_plugins = ["durations", "nights", "only", "releases"]

collect_ignore = ["second_course"]  # another course: its checks are not tests of this one

ROOT = Path(__file__).resolve().parent.parent

gc.disable()  # until all is collected: what is imported and collected stays, and looking at it again and again takes seconds

# A shell starts what it runs in the background with Ctrl-C ignored, and every process that a test starts would inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Public functions carry shapes, which are enforced here, and only here: in course_lib, and in what the checks compare with.
REFERENCES = [f"{lesson.package}.references" for lesson in Lessons().all()]
install_import_hook(["course_lib", *REFERENCES], "beartype.beartype")


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture
def shapes_unchecked() -> Iterator[None]:
    """Switch off the checks of shapes in course_lib and the references: they take half the time of judging an exercise."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture
def command() -> Callable[..., subprocess.CompletedProcess]:
    """Run a Python module as a command, from the root unless told otherwise, and return what it printed."""

    def run(module: str, *arguments: object, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-P", "-m", module, *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, "MPLBACKEND": "Agg", **environment},
            capture_output=True,
            text=True,
        )

    return run


@pytest.fixture
def second_course(tmp_path: Path) -> Course:
    """Another course, in a folder of its own: one lesson, two exercises, not about attention."""
    shutil.copytree(ROOT / "tests" / "second_course", tmp_path / "second")
    return Course(tmp_path / "second")


@pytest.fixture(scope="session")
def sample_class(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a gradebook and a small class that nobody has graded yet. Not to be written to."""
    place = tmp_path_factory.mktemp("sample")
    make(root, place)
    return place


@pytest.fixture
def course(sample_class: Path, tmp_path: Path) -> Course:
    """A copy of the sample class, of one test's own."""
    shutil.copytree(sample_class, tmp_path / "course")
    return Course(tmp_path / "course")


def pytest_configure(config: pytest.Config) -> None:
    """Set what processes inherit: a share of the cores, short training in nbval's kernels, trust where there is no sandbox."""
    if problem():
        folder = temporary(config)
        Path(folder, "nbgrader_config.py").write_text("get_config().SealedAutograde.trust_submissions = True\n")
        os.environ["JUPYTER_CONFIG_DIR"] = folder
    startup = Path(temporary(config), "profile_default", "startup")
    startup.mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "helpers" / "short_training.py", startup)
    os.environ[SHORT] = "1"
    os.environ["IPYTHONDIR"] = str(startup.parents[1])
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1:  # else each of them, and each command that it starts, takes all cores
        threads = max(1, (os.cpu_count() or 1) // workers)
        torch.set_num_threads(threads)
        os.environ["OMP_NUM_THREADS"] = str(threads)
        os.environ["LOKY_MAX_CPU_COUNT"] = str(threads)  # joblib's cpu_count: how many processes a command starts


def temporary(config: pytest.Config) -> str:
    """Return a new folder that is removed when pytest ends."""
    folder = tempfile.TemporaryDirectory()
    config.add_cleanup(folder.cleanup)
    return folder.name


#: The files that take longest. They begin first, so that at the end no process waits for another one's.
LONG = (
    "test_attacks.py",
    "test_every_lesson.py",
    "test_whole_way.py",
    "test_attacks_in_lessons.py",
    "test_attacks_at_nbgrader.py",
    "test_contract.py",
    "test_class.py",
    "test_site.py",
    "*.ipynb",
    "test_checks_can_fail.py",
    "test_build.py",
    "test_demo.py",
    "test_colab.py",
    "test_messy.py",
    "test_peak_memory.py",
    "test_audit.py",
    "test_remote.py",
    "test_cluster.py",
    "test_second_course.py",
    "test_own_numbers.py",
    "test_mark.py",
)


@functools.cache
def _place(path: Path) -> int:
    """Return when a file's tests begin, relative to others'."""
    return next((place for place, name in enumerate(LONG) if path.match(name)), len(LONG))


def pytest_collection_finish() -> None:
    """Let the tests' garbage be collected, without looking at what was there before them."""
    gc.freeze()
    gc.enable()


#: What a test needs, by its mark: why it cannot run here, or None.
NEEDS = {
    "sandbox": problem,
    "gpu": lambda: None if torch.cuda.is_available() else "torch finds no CUDA GPU here",
    "browser": lambda: None if CHROMIUM else "needs Chromium, which .ci/run installs",
}


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marks
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    session.collected = [*items]
    missing = {mark: why for mark, find in NEEDS.items() if (why := find())}
    items.sort(key=lambda item: _place(item.path))
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.slow)
        for mark, why in missing.items():
            if item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason=why))
