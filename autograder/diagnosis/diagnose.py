"""Find the known misconception that explains a student's answer.

A failed check is run again on the same inputs with each known wrong answer in place of the student's. The diagnosis names the
one that fails the same checks with the same wrong numbers. If none does, the failure may name its own cause, or the wrong
numbers alone may show a symptom (:mod:`autograder.diagnosis.symptoms`). If nothing is found in any row, three things are tried in
turn: right answers with one small edit (:mod:`autograder.diagnosis.mutations`); one thing about the calls changed at a time, to
see what the answer ignores or mixes (:mod:`autograder.diagnosis.probes`); and where the right and the wrong results diverge
(:mod:`autograder.diagnosis.probes`, :mod:`autograder.diagnosis.conditions`).
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from autograder.checks.execute import Check, NotebookStudent
from autograder.content import references
from autograder.content.lesson import Lesson, mark_value
from autograder.diagnosis import conditions, probes, search, symptoms
from autograder.diagnosis.mutations import Mutant, mutants
from autograder.diagnosis.probes import faulty_module, tensors_in
from autograder.diagnosis.search import (
    EXPLAIN_VALUES,
    GUESSES,
    FailedCheck,
    Recording,
    RequestsFor,
    Search,
    comparable,
    drop_consequences,
    same_error,
    same_line,
)
from autograder.diagnosis.source_causes import KEPT, kept_result, variable_read
from autograder.runtime.errors import CheckFailure, Diagnosis
from autograder.runtime.limits import run_limited
from autograder.runtime.student import Request, Student


def diagnose(
    lesson: Lesson,
    exercise: str,
    failed: Sequence[FailedCheck],
    seed: int,
    passed: Sequence[Check] = (),
    student: Student | None = None,
) -> list[Diagnosis | None]:
    """Return a diagnosis, or None, for each failed check.

    A misconception is ruled out if it would fail a check in ``passed``, or if its answers to further requests differ from those
    of the ``student``. Once a row has a cause, symptoms in other rows are taken for its consequences and not explained.
    """
    checks = [failed_check.check for failed_check in failed if not mark_value(failed_check.check, "measured")]
    recording = Recording(reference_student(lesson), seed)
    requests_for = functools.cache(lambda name: recording.shape_variants(checks, name))
    diagnoses: list[Diagnosis | None] = [
        _own_cause(failed_check, student, recording.right, requests_for) for failed_check in failed
    ]
    if any(failed_check.failure.kind == "parameters" for failed_check in failed):
        return _parameter_causes(failed, diagnoses)
    search = Search(lesson, exercise, failed, passed, student, recording, requests_for, candidate)
    by_case, explained = _add_misconceptions(search, diagnoses)
    if not by_case and all(
        diagnosis is None or failed_check.failure.kind in GUESSES
        for diagnosis, failed_check in zip(diagnoses, failed, strict=True)
    ):
        explained = False  # a guess gives way to what the wrong values themselves show
    _add_plain_errors(failed, diagnoses, by_case)
    if not by_case:
        explained = _add_variable_read(search, diagnoses) or explained
    _add_fallbacks(search, diagnoses, explained)
    if not by_case and (kept_diagnosis := kept_result(search, diagnoses)):
        return [
            kept_diagnosis if failed_check.failure.kind in KEPT else diagnosis
            for failed_check, diagnosis in zip(failed, diagnoses, strict=True)
        ]
    if student is not None and not any(diagnoses):
        if all(_is_wrong_gradient(failed_check.failure) for failed_check in failed):
            return [Diagnosis(*symptoms.CUT) for _ in failed]
        diagnoses = _diagnose_edits(search)
        if not any(diagnoses):
            locator = _locator(lesson, [*checks, *passed], recording)
            diagnoses = probes.row_sensitivity(
                failed, student, recording.right, references.namespace(lesson), requests_for, locator
            )
        if not any(diagnoses):
            diagnoses = _one_of_several(search)
    return drop_consequences(failed, diagnoses, by_case)


def _add_variable_read(search: Search, diagnoses: list[Diagnosis | None]) -> bool:
    """Name a variable of the notebook read in place of an argument in the rows without a cause; return whether there is one."""
    diagnosis, changed = variable_read(search), False
    for number, failed_check in enumerate(search.failed) if diagnosis else ():
        if diagnoses[number] is None and failed_check.failure.kind in ("value", "shape", "crash"):
            plain = symptoms.plain_error(failed_check.failure)
            diagnoses[number], changed = Diagnosis(*plain) if plain else diagnosis, True
    return changed


def _add_fallbacks(search: Search, diagnoses: list[Diagnosis | None], explained: bool) -> None:
    """Explain the rows without a cause from their wrong results alone, or by an earlier row that stopped with the same error."""
    failed, right = search.failed, search.recording.right
    for number, failed_check in enumerate(failed):
        if diagnoses[number] is None and (not explained or failed_check.failure.kind not in ("value", "crash")):
            diagnosis = symptoms.fallback_diagnosis(
                search.lesson, failed_check.failure, failed_check.exchange, search.student, right, search.requests_for
            )
            diagnoses[number] = None if diagnosis and _is_consequence(diagnosis, failed_check, failed) else diagnosis
            explained = explained or diagnoses[number] is not None
    for number, failed_check in enumerate(failed):
        if diagnoses[number] is None and failed_check.failure.kind == "crash":  # the same error has the same cause
            diagnoses[number] = next((diagnoses[n] for n in range(number) if same_line(failed[n], failed_check)), None)


def _one_of_several(search: Search) -> list[Diagnosis | None]:
    """Name a misconception that explains most rows, though its numbers in the others differ: there are two mistakes.

    The second one is named when the first is fixed. With only a few rows, such agreement is not enough evidence.
    """
    case, same = max(search.partial, key=lambda case_and_rows: sum(case_and_rows[1]), default=(None, []))
    if case is None or sum(same) < _FEWEST_ROWS or 2 * sum(same) <= len(same):
        return [None] * len(search.failed)
    diagnosis = Diagnosis(case.title, f"{case.hint} There is another mistake as well: fix this one first.", case.why)
    return [diagnosis if fits else None for fits in same]


#: Minimum number of rows explained by a misconception that does not explain all.
_FEWEST_ROWS = 3


def _parameter_causes(failed: Sequence[FailedCheck], diagnoses: Sequence[Diagnosis | None]) -> list[Diagnosis | None]:
    """Return the causes of the rows about parameters only. Failures of other rows are consequences: missing or additional
    parameters keep their random numbers.
    """
    about_parameters = [failed_check.failure.kind == "parameters" for failed_check in failed]
    rows = list(zip(diagnoses, about_parameters, strict=True))
    first = next((diagnosis for diagnosis, about in rows if diagnosis and about), None)
    return [diagnosis or first if about else None for diagnosis, about in rows]


def _add_misconceptions(search: Search, diagnoses: list[Diagnosis | None]) -> tuple[set[int], bool]:
    """Put known misconceptions into ``diagnoses`` where they explain a row, even if the check itself guesses a cause.

    Returns the rows that they explain, and whether these suffice to leave wrong values in other rows unexplained.
    """
    explained, by_case = [diagnosis is not None for diagnosis in diagnoses], set[int]()
    enough = any(
        diagnosis and failed_check.failure.kind in EXPLAIN_VALUES
        for diagnosis, failed_check in zip(diagnoses, search.failed, strict=True)
    )
    for number, failed_check in enumerate(search.failed):
        if explained[number] or (failed_check.failure.cause and enough):
            continue  # a second misconception is rare, and the search is slow
        if any(same_error(earlier, failed_check) and comparable(earlier) for earlier in search.failed[:number]):
            continue  # searched for already
        best, same = search.best(number)
        for row, fits in enumerate(same):
            if best and fits:
                diagnoses[row], explained[row] = Diagnosis(best.title, best.hint, best.why), True
                enough = True
                by_case.add(row)
    return by_case, enough


def _add_plain_errors(failed: Sequence[FailedCheck], diagnoses: list[Diagnosis | None], by_case: set[int]) -> None:
    """Name errors with an unambiguous message, in addition to a misconception that raises no error."""
    for number in range(len(failed)) if by_case else ():
        if diagnoses[number] is None and (symptom := symptoms.plain_error(failed[number].failure)):
            diagnoses[number] = Diagnosis(*symptom)
            by_case.add(number)


def _diagnose_edits(search: Search) -> list[Diagnosis | None]:
    """Find the small edit of a right answer that gives the student's wrong numbers, and name it in the rows that it explains."""
    failed = search.failed
    number = next(
        (
            n
            for n, failed_check in enumerate(failed)
            if failed_check.failure.kind in ("value", "shape") and _can_be_repeated(failed_check)
        ),
        None,
    )
    if number is None:
        return [None] * len(failed)
    student, exercise = search.student, search.exercise

    @functools.cache
    def uses(names: tuple[str, ...]) -> Sequence[str]:
        return names if student is None else student.uses(exercise, names)

    with run_limited():
        candidates = mutants(search.lesson, exercise)
        best, same = search.best(number, (case for case in candidates if case.findable(uses)))
    if not isinstance(best, Mutant):
        return [None] * len(failed)
    diagnosis = Diagnosis(*best.explain(uses))
    return [diagnosis if fits else None for fits in same]


def _can_be_repeated(failed_check: FailedCheck) -> bool:
    """Return whether a check passes a tensor, or only numbers, strings and lists of these.

    Any other check reads a trained model, which no edit of a line explains, or trains one, which is too slow for so many edits.
    """
    if failed_check.exchange is None:
        return False
    request = failed_check.exchange.request
    arguments = (*request.args, *request.kwargs.values())
    return bool(tensors_in(request)) or (bool(arguments) and all(map(_is_plain, arguments)))


#: Types of arguments that cost nothing to recreate.
_PLAIN = (int, float, str, type(None), torch.device, torch.dtype)


def _is_plain(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_plain, (*value.keys(), *value.values())))
    return isinstance(value, _PLAIN) or (isinstance(value, tuple | list) and all(map(_is_plain, value)))


def _locator(lesson: Lesson, checks: Sequence[Check], recording: Recording) -> probes.Look:
    """Return a function that finds the submodule, or else the condition on the arguments, behind all wrong results."""

    def look(student: Student, right: Student, requests: Sequence[Request]) -> symptoms.Symptom | None:
        if not requests:
            return None
        name = requests[0].name
        variants = recording.shape_variants(checks, name, conditions.MOST)
        function = references.namespace(lesson)[name]
        return faulty_module(student, right, requests) or conditions.condition(student, right, function, variants)

    return look


def _is_consequence(diagnosis: Diagnosis, failed_check: FailedCheck, failed: Sequence[FailedCheck]) -> bool:
    """Return whether a wrong gradient only follows from wrong values elsewhere; its constant factor is then no cause."""
    wrong_values = any(
        other_check.failure.kind == "value" and not _is_wrong_gradient(other_check.failure) for other_check in failed
    )
    return diagnosis.name == symptoms.FACTOR and _is_wrong_gradient(failed_check.failure) and wrong_values


def _is_wrong_gradient(failure: CheckFailure) -> bool:
    return failure.kind == "value" and failure.yours.startswith("d/d") and not search.is_rounded(failure)


def _own_cause(
    failed_check: FailedCheck, student: Student | None, right: Student, requests_for: RequestsFor
) -> Diagnosis | None:
    """Return the cause that the check itself reports, unless this kind of failure can have many causes."""
    failure = failed_check.failure
    # PyTorch's message for every in-place operation on an input.
    if failure.kind == "crash" and "leaf Variable" in str(failure.received):
        symptom = symptoms.symptom(failure, None)
        return Diagnosis(*symptom) if symptom else None
    if failure.kind == "constant" and _varies(failed_check, student, requests_for):
        return None
    if not failure.cause or failure.kind in _OF_MANY_CAUSES:
        return None
    if (
        failure.kind == "dtype"
        and failed_check.exchange is not None
        and symptoms.is_permuted(right, failed_check.exchange)
    ):
        return Diagnosis(*symptoms.EXCHANGED)
    return Diagnosis(failure.cause, failure.hint)


#: Kinds of failures whose cause a check can only guess; misconceptions take precedence.
_OF_MANY_CAUSES = ("value", "span")


def _varies(failed_check: FailedCheck, student: Student | None, requests_for: RequestsFor) -> bool:
    """Return whether an answer that is the same for both inputs of a check differs for other inputs."""
    if student is None or failed_check.exchange is None:
        return False
    return search.depends_on_numbers(student, requests_for(failed_check.exchange.request.name))


class _ReferenceStudent(NotebookStudent):
    """The right answers, which may use blocked functions."""

    def _forbidden(self, exercise: str) -> tuple[str, ...]:
        return ()


def candidate(names: dict[str, Any], lesson: Lesson) -> NotebookStudent:
    """Return a student whose wrong answers are compared with the real one's. Nothing is blocked: only the numbers count."""
    return NotebookStudent(names, lesson, forbid=())


def reference_student(lesson: Lesson) -> NotebookStudent:
    return _ReferenceStudent(references.namespace(lesson), lesson, deep=False)
