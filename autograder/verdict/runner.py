"""Run the checks of one exercise and make the report."""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from autograder.checks.execute import ON_CHECK, Check, Execution, call_check, execute, same_failure
from autograder.content.lesson import Lesson, mark_value, takes_variant
from autograder.diagnosis.diagnose import diagnose
from autograder.diagnosis.search import FailedCheck
from autograder.runtime.errors import NOTHING_RETURNED, CheckFailure, Diagnosis, PartialCredit, from_exception
from autograder.runtime.seeds import fresh_seed
from autograder.runtime.state import known_torch_state
from autograder.runtime.student import SearchTimeout, Student
from autograder.verdict.report import CheckResult, ExerciseReport
from course_lib.variants import casefold_name

NO_STUDENTS_NUMBERS = Diagnosis(
    "nobody's numbers",
    "This is right with the numbers that are drawn while the notebook does not know who you are. Look at the cell with "
    "variants.i_am: write your id there, and run it and the cells below it again.",
)
ANOTHER_STUDENTS_NUMBERS = Diagnosis(
    "another student's numbers",
    "This is right with another student's numbers, but not with yours. Look at what your own notebook draws once "
    "variants.i_am has your id.",
)

#: Kinds of failures without a result that could be right for other numbers.
_NO_RESULT = ("crash", "forbidden", "missing", "unwritten", "time")


def owner_of_variant(
    failed: Sequence[FailedCheck], student: Student, seed: int, other_ids: Iterable[str]
) -> str | None:
    """Return the id with whose numbers every failed check of a variant passes; None if there is none.

    The empty id, for a notebook without one, is tried before ``other_ids``. If two of these fit, this is chance, and the result
    is None.
    """
    variant_checks = [failed_check for failed_check in failed if takes_variant(failed_check.check)]
    if not variant_checks or any(failed_check.failure.kind in _NO_RESULT for failed_check in variant_checks):
        return None

    def fits(student_id: str) -> bool:
        return all(call_check(failed_check.check, student, seed, student_id) is None for failed_check in variant_checks)

    me = casefold_name(student.student_id)
    if me and fits(""):
        return ""
    ids = {casefold_name(other_id): other_id for other_id in other_ids}
    owners = [ids[folded_id] for folded_id in sorted(ids.keys() - {me, ""}) if fits(folded_id)]
    return owners[0] if len(owners) == 1 else None


def wrong_variant_hints(failed: Sequence[FailedCheck], owner_id: str | None) -> list[Diagnosis | None]:
    """Return, for each row, the diagnosis "right for the numbers of ``owner_id``" ("": of no student), or None."""
    diagnosis = None if owner_id is None else ANOTHER_STUDENTS_NUMBERS if owner_id else NO_STUDENTS_NUMBERS
    return [diagnosis if takes_variant(failed_check.check) else None for failed_check in failed]


def run_checks(
    exercise: str, student: Student, seed: int | None = None, full: Mapping[str, bool] | None = None
) -> ExerciseReport:
    """Run every check of ``exercise``, in the student's lesson, on ``student`` and return the report.

    Earlier exercises that this one builds on and that are not right yet are replaced by right versions, so that a mistake costs
    points once. ``full`` maps each checked earlier exercise to True if it earned every point. Raises LookupError for an unknown
    exercise.
    """
    report = recheck_with_references(
        run_single(exercise, student, fresh_seed() if seed is None else seed), student, full or {}
    )
    return diagnose_failures(report, student)


def run_single(exercise: str, student: Student, seed: int) -> ExerciseReport:
    """Run every check of an exercise once on the student's own code, and return the report without diagnoses."""
    with known_torch_state():
        return _run_once(exercise, student, seed)


def recheck_with_references(report: ExerciseReport, student: Student, full: Mapping[str, bool]) -> ExerciseReport:
    """Run the checks again with right versions of wrong earlier exercises, if there are any, and return the report.

    The student's code then runs beside right answers to the earlier exercises, so judge those before this call.
    """
    with known_torch_state():
        unwritten = report.unwritten and not _stub_of_another(report, student.lesson)
        return report if report.full or unwritten else _recheck_if_foundations_fail(report, student, full)


def diagnose_failures(report: ExerciseReport, student: Student, other_ids: Iterable[str] = ()) -> ExerciseReport:
    """Add likely causes to the report. The search may use up the time of a slow answer, so call this after all exercises are
    judged.

    ``other_ids``: the ids of the class, whose numbers an answer may contain if each student has numbers of their own.
    """
    with known_torch_state():
        try:
            with (
                student.search_budget(),
                student.with_references(report.replaced) if report.replaced else contextlib.nullcontext(),
            ):
                _add_diagnoses(student, report, other_ids)  # failed advice is diagnosed too, though it costs no points
        except SearchTimeout:
            report.note = f"{report.note} No likely cause was found in the time for the search."
        except CheckFailure:  # the notebook cannot be run again: its time is used up
            report.note = f"{report.note} No likely cause was looked for: the time for this notebook is used up."
    return report


def _stub_of_another(report: ExerciseReport, lesson: Lesson) -> bool:
    """Return whether a check fails because this exercise calls another one that is not written yet."""
    other_exercises = {name for name in lesson.exercises if name != report.exercise}
    return any(
        _other_exercise_called(result, report.exercise, lesson)
        or (isinstance(result.failure.received, str) and result.failure.received in other_exercises)
        for result in report.results
        if result.failure and result.failure.kind == "unwritten"
    )


def _recheck_if_foundations_fail(report: ExerciseReport, student: Student, full: Mapping[str, bool]) -> ExerciseReport:
    """Check again with right versions of earlier exercises that are not right yet, if any; keep the better report."""
    called = {
        report.exercise,
        *(_other_exercise_called(result, report.exercise, student.lesson) for result in report.results),
    }
    builds_on = {
        name for exercise in called - {""} for name in student.uses(exercise, student.lesson.builds_on(exercise))
    }
    used = [name for name in student.lesson.exercises if name in builds_on - {report.exercise}]
    unknown = [name for name in used if name not in full]
    checks = student.lesson.checks(report.exercise)
    measured = any(result.failure and mark_value(checks[result.name], "measured") for result in report.results)
    if (
        not measured
        and unknown
        and all(full.get(name, True) for name in used)
        and _fails_the_same(report, student, used)
    ):
        return report  # it fails identically with correct earlier exercises
    alone = {name: _run_once(name, student, report.seed) for name in used if name not in full}
    broken = [name for name in used if not (full[name] if name in full else alone[name].full)]
    if not broken:
        return report
    try:
        with student.with_references(broken):
            rechecked = _run_once(report.exercise, student, report.seed)
    except CheckFailure:  # the notebook could not be run again
        return report
    if rechecked.earned < report.earned:
        return report
    rechecked.replaced = broken
    rechecked.note = _replacement_note(broken, [name for name in broken if name in alone and alone[name].missing])
    return rechecked


def _replacement_note(broken: Sequence[str], missing: Sequence[str]) -> str:
    """Return the sentence about the exercises replaced by right versions, with the reason."""
    single = len(broken) == 1
    why = "which does not pass its own check yet" if single else "which do not pass their own checks yet"
    if len(missing) == len(broken):  # as after a restart of the kernel
        why = f"because no cell that has run defines {'it' if single else 'them'}"
    return f"Checked with a right {' and a right '.join(broken)} in place of yours, {why}."


def _fails_the_same(report: ExerciseReport, student: Student, used: Sequence[str]) -> bool:
    """Return whether every failed check fails identically with right earlier exercises.

    Unless a check measures something, this is faster than checking each earlier exercise.
    """
    checks = student.lesson.checks(report.exercise)
    try:
        with student.with_references(used):
            return all(
                (failure := call_check(checks[result.name], student, report.seed))
                and same_failure(result.failure, failure)
                for result in report.results
                if result.failure
            )
    except CheckFailure:  # the notebook could not be run again
        return False


def _run_once(exercise: str, student: Student, seed: int) -> ExerciseReport:
    """Execute the checks, without a diagnosis."""
    checks = student.lesson.checks(exercise)
    executions = _execute_all(checks, student, seed)
    results = [_result(name, checks[name], execution) for name, execution in executions.items()]
    _charge_broken_promise(results, checks, executions)
    _charge_imprecision(results)
    forbidden = (r for r in results if r.failure and r.failure.kind == "forbidden")
    forbidden_use = next(
        (r.failure for r in forbidden if not _other_exercise_called(r, exercise, student.lesson)), None
    )
    for result in results if forbidden_use else ():
        # The forbidden call does the whole exercise, so nothing counts.
        result.earned, result.failure = (0.0, forbidden_use)
    _mark_stub_refusals_unwritten(results)
    return ExerciseReport(exercise, seed, results, optional=exercise in student.lesson.optional)


def _execute_all(checks: Mapping[str, Check], student: Student, seed: int) -> dict[str, Execution]:
    """Execute the checks in their order; what is not written yet is not measured, which takes far longer than to say so."""
    executions: dict[str, Execution] = {}
    for name, check in checks.items():
        before = [executions[other] for other in executions if not mark_value(checks[other], "measured")]
        unwritten = before and all(
            isinstance(execution.error, CheckFailure) and execution.error.kind == "unwritten" for execution in before
        )
        if unwritten and mark_value(check, "measured"):
            executions[name] = replace(before[0], printed="")
        else:
            executions[name] = execute(check, student, seed)
    return executions


def _charge_broken_promise(
    results: Sequence[CheckResult], checks: Mapping[str, Check], executions: Mapping[str, Execution]
) -> None:
    """Charge the first broken promise to the check marked ``@promises``, or else to the first check that met it."""
    broken = [name for name, execution in executions.items() if execution.breach]
    if not broken:
        return
    marked = [result for result in results if mark_value(checks[result.name], "promises")]
    met = [result for result in results if result.name in broken and result.points and result.passed]
    for charged in (marked or met)[:1]:  # a check that fails as well compares what was changed
        charged.earned, charged.failure = 0.0, executions[broken[0]].breach


def _other_exercise_called(result: CheckResult, exercise: str, lesson: Lesson) -> str:
    """Return the other exercise in which a call of the check failed; "" if the call was to this exercise, or there was none."""
    last = result.exchange
    if last is None or result.failure is None or last.failure is not result.failure:
        return ""
    return last.request.name if last.request.name in lesson.exercises and last.request.name != exercise else ""


def _charge_imprecision(results: Sequence[CheckResult]) -> None:
    """Fail one check if results in float64 have only float32 precision, and no value or dtype is wrong.

    It is a check of dtypes if there is one, or else the check with the fewest points.
    """
    lacking = [result for result in results if result.passed and result.points and result.imprecise]
    if lacking and not any(result.failure and result.failure.kind in ("dtype", "value") for result in results):
        result = min(lacking, key=lambda candidate: ("dtype" not in candidate.name, candidate.points))
        result.earned, result.failure = 0.0, result.imprecise


def _mark_stub_refusals_unwritten(results: Sequence[CheckResult]) -> None:
    """Mark as unwritten a check that expects a ValueError and gets the stub's NotImplementedError."""
    failures = [result.failure for result in results if result.failure]
    stub = next((failure for failure in failures if failure.kind == "unwritten"), None)
    if stub and all(failure is stub or _raised_by_a_stub(failure) for failure in failures):
        for result in results:
            result.failure = result.failure and stub


def _raised_by_a_stub(failure: CheckFailure) -> bool:
    return failure.kind == "unwritten" or (failure.kind, failure.received) == ("error type", "NotImplementedError")


def _result(name: str, check: Check, execution: Execution) -> CheckResult:
    worth = float(mark_value(check, "points", 0))
    sentence = (check.__doc__ or name).strip().splitlines()[0].rstrip(".")
    earned, failure = _verdict(execution.error, worth)
    if failure and failure.cause == NOTHING_RETURNED and execution.printed.strip():
        failure.hint = (
            "Something is printed, and nothing is returned. print shows a value, and only return hands it on."
        )
    result = CheckResult(name, sentence, worth, earned, failure, printed=execution.printed[:1000].strip())
    result.exchange, result.imprecise = (execution.exchange if failure else None), execution.imprecise
    result.measured = execution.measured
    return result


def _verdict(error: BaseException | None, worth: float) -> tuple[float, CheckFailure | None]:
    if error is None:
        return worth, None
    fraction = min(max(error.fraction, 0.0), 1.0) if isinstance(error, PartialCredit) else 0.0
    return worth * fraction, from_exception(error)


def _add_diagnoses(student: Student, report: ExerciseReport, other_ids: Iterable[str]) -> None:
    rows = [result for result in report.results if result.failure]
    if report.unwritten:
        return
    if rows:
        ON_CHECK.get()()  # what comes now may take longer than the checks
    lesson: Lesson = student.lesson
    checks = lesson.checks(report.exercise)
    failed = [FailedCheck(checks[result.name], result.failure, result.exchange) for result in rows if result.failure]
    passed = [checks[result.name] for result in report.results if result.passed and not result.imprecise]
    try:
        report.right_for = owner_of_variant(failed, student, report.seed, other_ids)
        diagnoses = wrong_variant_hints(failed, report.right_for)
        unexplained = [
            failed_check for failed_check, diagnosis in zip(failed, diagnoses, strict=True) if diagnosis is None
        ]
        remaining = iter(
            diagnose(lesson, report.exercise, unexplained, report.seed, passed, student) if unexplained else ()
        )
        diagnoses = [diagnosis or next(remaining) for diagnosis in diagnoses]
    except Exception as error:  # an unusual result may break the diagnosis, but not the verdict
        report.note = f"{report.note} No likely cause can be named ({type(error).__name__})."
        return
    for result, diagnosis in zip(rows, diagnoses, strict=True):
        result.diagnosis = diagnosis
        if diagnosis is None and result.failure:  # no guess of a check beside the cause that explains it
            result.failure.cause = result.failure.hint = ""
