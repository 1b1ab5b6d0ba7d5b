"""pytest as a library: the checks of one exercise in a session of their own, or in one that stays open for many submissions."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from autograder.judging import pytest_plugin
from autograder.judging.lesson import Lesson
from autograder.judging.student import Exchange, Student

#: Built-in pytest plug-ins that checks do not use. Each takes a millisecond or two of every run to set up.
_NOT_NEEDED = [
    "cacheprovider",
    "debugging",
    "doctest",
    "faulthandler",
    "junitxml",
    "legacypath",
    "logging",
    "monkeypatch",
    "pastebin",
    "recwarn",
    "setuponly",
    "setupplan",
    "stepwise",
    "subtests",
    "threadexception",
    "tmpdir",
    "unittest",
    "unraisableexception",
    "warnings",
]

#: No configuration files, no terminal, no installed third-party plug-ins.
_OPTIONS = [
    *("-q", "--noconftest", "-c", os.devnull, "--assert=plain", "--capture=fd", "--tb=no"),
    *(part for name in _NOT_NEEDED for part in ("-p", f"no:{name}")),
    *("-o", "python_functions=check_*", "-o", "python_files=check_*.py"),
]


#: Called at the beginning of each check, by whoever shows that something goes on.
BEGINS: ContextVar[Callable[[], None]] = ContextVar("told of each check", default=lambda: None)


class Recorder:
    """A pytest plug-in that passes the student to the checks and records what they raise, print and last request."""

    def __init__(self, student: Student, seed: int):
        self.student, self.seed = student, seed
        self.outcomes: dict[str, BaseException | None] = {}
        self.printed: dict[str, str] = {}
        self.exchanges: dict[str, Exchange | None] = {}
        self.interrupted: BaseException | None = None

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[pytest_plugin.STUDENT] = self.student
        config.stash[pytest_plugin.SEED] = self.seed

    def pytest_runtest_call(self, item: pytest.Item) -> None:
        self.student.last = None
        BEGINS.get()()

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        if not isinstance(excinfo.value, pytest.Session.Interrupted):  # so pytest calls an error in a file of checks
            self.interrupted = excinfo.value

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report = yield
        error = call.excinfo.value if call.excinfo else None
        if call.when == "call" or error is not None:
            self.outcomes[item.name] = error
            self.exchanges[item.name] = self.student.last
            self.printed[item.name] = report.capstdout
        return report


class _OpenSession:
    """A plug-in that keeps a session open while ``body`` runs, so that pytest is set up once for all submissions."""

    def __init__(self, lesson: Lesson, body: Callable[[], Any]):
        self.lesson, self.body, self.value = lesson, body, None
        self.items: dict[str, list[pytest.Item]] = {}
        self.error: BaseException | None = None

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[pytest_plugin.STUDENT] = None  # each submission brings its own

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for item in session.items:
            self.items.setdefault(next(item.iter_markers("exercise")).args[0], []).append(item)
        token = _OPEN.set(self)
        try:
            self.value = self.body()
        except BaseException as error:
            self.error = error
        finally:
            _OPEN.reset(token)
        return True

    def run(self, items: list[pytest.Item], recorder: Recorder) -> None:
        config = items[0].config
        recorder.pytest_configure(config)
        config.pluginmanager.register(recorder)
        try:
            for item in items:
                config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        finally:
            config.pluginmanager.unregister(recorder)


_OPEN: ContextVar[_OpenSession | None] = ContextVar("open pytest session", default=None)


def run(lesson: Lesson, exercise: str, recorder: Recorder) -> None:
    """Run the checks of an exercise: in the open session of its lesson, or else in a new one."""
    session = _OPEN.get()
    items = session.items.get(exercise, []) if session is not None and session.lesson == lesson else []
    if session is not None and items:
        session.run(items, recorder)
    else:
        code = _pytest(lesson, [lesson.check_file(exercise)], recorder)
        if recorder.interrupted is not None:
            raise recorder.interrupted
        _must_have_run(exercise, code)


def in_one_session(lesson: Lesson, body: Callable[[], Any]) -> Any:
    """Call ``body`` with a pytest session open for the checks of a lesson, and return its result."""
    session = _OpenSession(lesson, body)
    code = _pytest(lesson, [lesson.check_file(name) for name in lesson.exercises], session)
    if session.error is not None:
        raise session.error
    if code != pytest.ExitCode.NO_TESTS_COLLECTED:
        _must_have_run(lesson.assignment, code)
    return session.value


def _pytest(lesson: Lesson, files: Iterable[Path], plugin: object) -> int:
    lesson.lessons.load()  # otherwise pytest would look for the package by its path
    with _quiet_environment():
        options = [*_OPTIONS, "--rootdir", str(lesson.folder), *map(str, files)]
        return pytest.main(options, plugins=[pytest_plugin, plugin])


def _must_have_run(what: str, code: int) -> None:
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"pytest could not run the checks of {what} ({code!r}). This is no fault of the answer.")


@contextlib.contextmanager
def _quiet_environment() -> Iterator[None]:
    """Keep pytest from reading options from the environment, its summary from the notebook, its folders from ``sys.path``."""
    path = list(sys.path)
    saved = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")}
    saved["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    with open(os.devnull, "w", encoding="utf8") as nowhere, contextlib.redirect_stdout(nowhere):
        try:
            yield
        finally:
            sys.path[:] = path
            os.environ.pop("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
            os.environ.update({name: value for name, value in saved.items() if value is not None})
