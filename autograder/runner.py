"""Run the checks of one exercise under pytest and make the report."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from autograder import catalogue, measure, pytest_plugin
from autograder.diagnosis import Lost, diagnose, replay, same_failure
from autograder.draw import fresh_seed
from autograder.failure import CheckFailure, PartialCredit, as_failure
from autograder.marks import mark_value
from autograder.report import CheckResult, ExerciseReport
from autograder.student import Answer, Exchange, Request, Student
from autograder.torch_state import known_torch_state

#: Built-in plug-ins of pytest that a check has no use for. Setting each up takes a millisecond or two in every run.
_NOT_NEEDED = (
    "cacheprovider", "debugging", "doctest", "faulthandler", "junitxml", "legacypath", "logging", "monkeypatch", "pastebin",
    "recwarn", "setuponly", "setupplan", "stepwise", "subtests", "threadexception", "tmpdir", "unittest",
    "unraisableexception", "warnings",
)  # fmt: skip

#: pytest as a library: no configuration files, no terminal, none of the plug-ins that happen to be installed.
_OPTIONS = [
    *(
        "-q",
        "--noconftest",
        "--rootdir",
        str(catalogue.CHECKS),
        "-c",
        os.devnull,
        "--assert=plain",
        "--capture=fd",
        "--tb=no",
    ),
    *(part for name in _NOT_NEEDED for part in ("-p", f"no:{name}")),
    *("-o", "python_functions=check_*", "-o", "python_files=check_*.py"),
]


class _Recorder:
    """A pytest plug-in that hands the student to the checks and keeps what they raise."""

    def __init__(self, student: Student, seed: int):
        self.student, self.seed = student, seed
        self.outcomes: dict[str, BaseException | None] = {}
        self.printed: dict[str, str] = {}
        self.last: Exchange | None = None
        self.exchanges: dict[str, Exchange | None] = {}

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[pytest_plugin.STUDENT] = self.student
        config.stash[pytest_plugin.SEED] = self.seed

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Keep the last thing that a check asked and what came, by which a diagnosis finds its candidates fast."""
        ask = self.student.answer

        def answer(request: Request) -> Answer:
            try:
                found = ask(request)
            except CheckFailure as failure:
                self.last = Exchange(request, failure=failure)
                raise
            self.last = Exchange(request, found.value)
            return found

        vars(self.student)["answer"] = answer
        try:
            yield
        finally:
            del vars(self.student)["answer"]

    def pytest_runtest_call(self, item: pytest.Item) -> None:
        self.last = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report = yield
        error = call.excinfo.value if call.excinfo else None
        if call.when == "call" or error is not None:
            self.outcomes[item.name] = error
            self.exchanges[item.name] = self.last
            self.printed[item.name] = report.capstdout
        return report


def run_checks(
    exercise: str, student: Student, seed: int | None = None, full: Mapping[str, bool] | None = None
) -> ExerciseReport:
    """Run every check of ``exercise`` on ``student`` and return the report.

    A check that did not run earns nothing. An exercise that builds on an earlier one which is not right yet is checked with a
    right one in its place, so that a mistake costs points once. ``full`` tells of the earlier exercises that have been checked
    already whether they earned every point. Raises LookupError for an unknown exercise.
    """
    return completed(run_alone(exercise, student, fresh_seed() if seed is None else seed), student, full or {})


def run_alone(exercise: str, student: Student, seed: int) -> ExerciseReport:
    """Run every check of an exercise once, on the student's work as it is, and return the report without causes."""
    with measure.threads(1), known_torch_state():
        return _run_once(exercise, student, seed)


def completed(report: ExerciseReport, student: Student, full: Mapping[str, bool]) -> ExerciseReport:
    """Return the report after a second run with right earlier exercises, where those are wrong, and with likely causes.

    The student's code then runs beside right answers to the earlier exercises: nothing of theirs may be judged after that.
    """
    with measure.threads(1), known_torch_state():
        if not report.full and not report.unwritten:
            report = _with_right_foundations(report, student, full)
        _add_diagnoses(report)  # advice has a cause too, though it costs no points
    return report


def _with_right_foundations(report: ExerciseReport, student: Student, full: Mapping[str, bool]) -> ExerciseReport:
    """Where earlier exercises are not right yet, check again with right ones in their place; keep the better report."""
    used = student.uses(report.exercise, catalogue.builds_on(report.exercise))
    unknown = [name for name in used if name not in full]
    if unknown and all(full.get(name, True) for name in used) and _fails_the_same(report, student, used):
        return report  # whatever is wrong with the earlier ones, it is not why this one loses points
    broken = [name for name in used if not (full[name] if name in full else _run_once(name, student, report.seed).full)]
    if not broken:
        return report
    try:
        with student.with_right(broken):
            other = _run_once(report.exercise, student, report.seed)
    except CheckFailure:  # the notebook could not be run once more
        return report
    if other.earned < report.earned:
        return report
    other.note = (
        f"Checked with a right {' and a right '.join(broken)} in place of yours, which does not pass its own check yet."
    )
    return other


def _fails_the_same(report: ExerciseReport, student: Student, used: Sequence[str]) -> bool:
    """Tell whether every failed check fails alike with right earlier exercises, which is faster than checking each of those."""
    checks = catalogue.checks_of(report.exercise)
    try:
        with student.with_right(used):
            return all(
                (other := replay(checks[result.name], student, report.seed)) and same_failure(result.failure, other)
                for result in report.results
                if result.failure
            )
    except CheckFailure:  # the notebook could not be run once more
        return False


def _run_once(exercise: str, student: Student, seed: int) -> ExerciseReport:
    """Run the checks under pytest, without a diagnosis."""
    recorder = _Recorder(student, seed)
    with recorder.listening():
        if not _OpenSession.run(exercise, recorder):
            _must_have_run(exercise, _pytest([catalogue.check_file(exercise)], recorder))
    checks = catalogue.checks_of(exercise)
    results = [_result(name, check, recorder) for name, check in checks.items()]
    used = next((r.failure for r in results if r.failure and r.failure.kind == "forbidden"), None)
    for result in results if used else ():
        result.earned, result.failure = 0.0, used  # the exercise is the function itself: nothing of it was done
    return ExerciseReport(exercise, seed, results)


def _pytest(files: Iterable[Path], plugin: object) -> int:
    with _quiet_environment():
        return pytest.main([*_OPTIONS, *map(str, files)], plugins=[pytest_plugin, plugin])


def _must_have_run(what: str, code: int) -> None:
    if code == pytest.ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"pytest could not run the checks of {what} ({code!r}). This is no fault of the answer.")


class _OpenSession:
    """A pytest session that stays open while many submissions are checked, so that pytest is set up once for all of them."""

    items: ClassVar[dict[str, list[pytest.Item]]] = {}

    def __init__(self, body: Callable[[], Any]):
        self.body, self.value = body, None
        self.error: BaseException | None = None

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[pytest_plugin.STUDENT] = None  # each submission brings its own

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for item in session.items:
            self.items.setdefault(next(item.iter_markers("exercise")).args[0], []).append(item)
        try:
            self.value = self.body()
        except BaseException as error:
            self.error = error
        finally:
            self.items.clear()
        return True

    @classmethod
    def run(cls, exercise: str, recorder: _Recorder) -> bool:
        """Run the checks of an exercise in the open session. Returns False where none is open for it."""
        items = cls.items.get(exercise, [])
        if not items:
            return False
        config = items[0].config
        recorder.pytest_configure(config)
        config.pluginmanager.register(recorder)
        try:
            for item in items:
                config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        finally:
            config.pluginmanager.unregister(recorder)
        return True


def in_one_session(assignment: str, body: Callable[[], Any]) -> Any:
    """Call ``body`` with a pytest session open for the checks of an assignment, and return what it returns."""
    session = _OpenSession(body)
    code = _pytest(sorted(catalogue.checks_folder(assignment).glob("check_*.py")), session)
    if session.error is not None:
        raise session.error
    if code != pytest.ExitCode.NO_TESTS_COLLECTED:
        _must_have_run(assignment, code)
    return session.value


@contextlib.contextmanager
def _quiet_environment() -> Any:
    """Keep pytest from reading options of the surroundings, and its summary from reaching the notebook."""
    saved = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")}
    before = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    out, sys.stdout = sys.stdout, open(os.devnull, "w", encoding="utf8")  # noqa: SIM115 closed below
    try:
        yield
    finally:
        sys.stdout.close()
        sys.stdout = out
        os.environ.pop("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
        saved["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = before
        os.environ.update({name: value for name, value in saved.items() if value is not None})


def _result(name: str, check: Callable[..., Any], recorder: _Recorder) -> CheckResult:
    worth = float(mark_value(check, "points", 0))
    sentence = (check.__doc__ or name).strip().splitlines()[0].rstrip(".")
    result = CheckResult(name, sentence, worth, 0.0, printed=recorder.printed.get(name, "")[:1000].strip())
    if name not in recorder.outcomes:
        result.failure = CheckFailure(
            "crash", "This check did not run. Run the cell again; if it stays so, tell your teacher."
        )
    else:
        result.earned, result.failure = _verdict(recorder.outcomes[name], worth)
        result.exchange = recorder.exchanges.get(name)
    return result


def _verdict(error: BaseException | None, worth: float) -> tuple[float, CheckFailure | None]:
    if error is None:
        return worth, None
    fraction = min(max(error.fraction, 0.0), 1.0) if isinstance(error, PartialCredit) else 0.0
    return worth * fraction, as_failure(error)


def _add_diagnoses(report: ExerciseReport) -> None:
    failed = [result for result in report.results if result.failure]
    if report.unwritten:
        return
    checks = catalogue.checks_of(report.exercise)
    lost = [Lost(checks[result.name], result.failure, result.exchange) for result in failed if result.failure]
    passed = [checks[result.name] for result in report.results if result.passed]
    try:
        diagnoses = diagnose(report.exercise, lost, report.seed, passed)
    except Exception as error:  # an odd result may defeat the diagnosis; the verdict stands without it
        report.note = f"{report.note} No likely cause can be named ({type(error).__name__})."
        return
    for result, found in zip(failed, diagnoses, strict=True):
        result.diagnosis = found
