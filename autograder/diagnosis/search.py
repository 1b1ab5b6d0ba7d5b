"""Search for a wrong answer, known or generated, that fails the same checks with the same numbers.

Two answers often agree on a check's smallest example, the first to fail. A wrong diagnosis is worse than none.
"""

import functools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from autograder.checks.execute import Check, call_check, equal, same_failure, suppress_output
from autograder.content import references
from autograder.content.known_answers import Case, misconceptions
from autograder.content.lesson import Lesson, mark_value
from autograder.runtime.errors import CheckFailure, Diagnosis
from autograder.runtime.state import tensors_of
from autograder.runtime.student import Exchange, Request, RequestBuilder, Response, Student
from course_lib import variants


@dataclass(frozen=True)
class FailedCheck:
    """A failed check, its failure, and the last request that it sent to the student."""

    check: Check
    failure: CheckFailure
    exchange: Exchange | None = None


#: Kinds of failures that one mistake causes in many rows, each row guessing a different cause.
_ECHOES = (
    *("value", "shape", "crash", "constant", "random", "not numbers", "dropout", "order", "leak", "mask"),
    *("sees", "first", "blind", "caption", "span", "hidden", "padding", "gradient", "mode", "masking"),
)


#: Those among them whose guess assumes right values.
GUESSES = ("constant", "dropout", "order")


def drop_consequences(
    failed: Sequence[FailedCheck], diagnoses: Sequence[Diagnosis | None], by_case: Iterable[int]
) -> list[Diagnosis | None]:
    """Among rows that one mistake may cause, keep the known misconceptions, or else only the first cause."""
    any_without_cause = any(
        failed_check.failure.kind in ("value", "shape", "crash")
        for failed_check, diagnosis in zip(failed, diagnoses, strict=True)
        if not diagnosis
    )
    if any(failed_check.failure.kind == "type" for failed_check in failed):  # without a tensor, no gradient flows
        diagnoses = [
            None if failed_check.failure.kind == "detached" else diagnosis
            for failed_check, diagnosis in zip(failed, diagnoses, strict=True)
        ]
    diagnoses = [
        None if any_without_cause and failed_check.failure.kind in GUESSES and n not in by_case else diagnoses[n]
        for n, failed_check in enumerate(failed)
    ]
    rows = [n for n, failed_check in enumerate(failed) if diagnoses[n] and failed_check.failure.kind in _ECHOES]
    causes = {diagnoses[n] for n in rows if n in by_case} or {diagnoses[n] for n in rows[:1]}
    return [None if n in rows and cause not in causes else cause for n, cause in enumerate(diagnoses)]


#: Kinds of failures that cause wrong values in other rows. Another error type, or a changed input, does not.
EXPLAIN_VALUES = ("shape", "type", "crash", "forbidden", "constant", "random", "not numbers")


def same_error(a: FailedCheck, b: FailedCheck) -> bool:
    return a.failure.kind == "crash" and (a.failure.message, a.failure.yours) == (b.failure.message, b.failure.yours)


def same_line(a: FailedCheck, b: FailedCheck) -> bool:
    """Return whether two calls stopped in the same line with the same error, ignoring the numbers and the key in its message."""
    first, second = (
        (failed_check.failure.message, _VARYING.sub("", failed_check.failure.yours)) for failed_check in (a, b)
    )
    return a.failure.kind == b.failure.kind == "crash" and " in line " in first[0] and first == second


#: The parts of an error message that differ from call to call.
_VARYING = re.compile(r"(?<=^KeyError: ).*|\d+")


#: Maximum number of requests of a check that are tried, the largest first.
_MOST = 6
#: Maximum number of elements in a request that is compared. A larger one holds many copies of one example, for dropout.
_LARGEST = 50_000


#: What a check calls on a student that is none of the student's functions.
_NOT_REQUESTS = frozenset(name for name in vars(Student) if not name.startswith("_")) - vars(RequestBuilder).keys()
_MEASUREMENTS = frozenset({"time_ratio", "peak_memory", "work_ratio"})


class RequestRecorder(RequestBuilder):
    """Forwards what a check asks of a student, and records the requests. A recording ends at the first measurement."""

    def __init__(self, student: Student):
        self.student, self.requests = student, list[Request]()

    @property
    def lesson(self) -> Any:
        return self.student.lesson

    @property
    def forbid(self) -> tuple[str, ...]:
        return self.student.forbid

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in _MEASUREMENTS:  # they take seconds, and their requests show no mistake
            raise CheckFailure("work", "Measurements are not recorded.")
        if name in _NOT_REQUESTS:
            return getattr(self.student, name)
        return super().__getattr__(name)

    def _carry_out(self, request: Request) -> Response:
        self.requests.append(replace(request, both_modes=False))
        return self.student.answer(request)


class Recording:
    """The requests that checks send to a ``right`` answer, which no failure cuts short. Each check is recorded once.

    Requests in training mode, or with very many examples, are left out: their results are random.
    """

    def __init__(self, right: Student, seed: int):
        self.right, self.seed = right, seed
        self._requests: dict[Check, list[Request]] = {}
        self._answers = list[tuple[Request, Any]]()

    def answer(self, request: Request) -> Any:
        """Return the right answer to a request, or its failure. Each request is answered once."""
        for earlier, answer in self._answers:
            if earlier is request:
                return answer
        answer = result_of(self.right, request)
        self._answers.append((request, answer))
        return answer

    def of(self, check: Check) -> list[Request]:
        """Return the requests of one check, in order."""
        if check not in self._requests:
            recorder = RequestRecorder(self.right)
            call_check(check, recorder, self.seed)
            requests = [request for request in recorder.requests if not request.training and not is_large(request)]
            self._requests[check] = requests
        return self._requests[check]

    def largest(self, check: Check) -> list[Request]:
        """Return the largest requests of one check."""
        return sorted(self.of(check), key=_extent, reverse=True)[:_MOST]

    def shape_variants(self, checks: Sequence[Check], name: str, most: int = 2 * _MOST) -> list[Request]:
        """Return requests for ``name`` from these checks, one for each set of shapes, the largest first."""
        requests = [request for check in checks for request in self.of(check) if request.name == name]
        by_shape = {str(_shapes((request.build, request.args, request.kwargs))): request for request in requests}
        return sorted(by_shape.values(), key=_extent, reverse=True)[:most]


def is_large(request: Request) -> bool:
    """Return whether a request has very many examples, such as one that measures the rate of dropout."""
    return _size(request) > _LARGEST


def _shapes(value: Any) -> Any:
    if isinstance(value, Tensor):
        return tuple(value.shape)
    if isinstance(value, dict):
        return {key: _shapes(item) for key, item in value.items()}
    return [_shapes(item) for item in value] if isinstance(value, tuple | list) else repr(value)


def _size(request: Request) -> int:
    """Return the total number of elements in a request's arguments."""
    return sum(_numbers(argument) for argument in (*request.args, *request.kwargs.values()))


def _extent(request: Request) -> tuple[int, float]:
    """Return the number of elements in a request's arguments and, for a request without tensors, their magnitude.

    Small requests agree by chance: with one query and one key, a mistake in either looks like one in the other.
    """
    arguments = (*request.args, *request.kwargs.values())
    if tensors_of(arguments):
        return _size(request), 0.0
    return _size(request), float(sum(abs(value) for value in arguments if isinstance(value, int | float)))


def _numbers(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.numel()
    return sum(map(_numbers, value)) if isinstance(value, tuple | list) else 1


def same_answers(student: Student, candidate: Student, requests: Iterable[Request]) -> bool:
    """Return whether both give the same answers to all these requests. Random answers are skipped."""
    for request in requests:
        expected = result_of(candidate, request)
        if not same_outcome(result_of(student, request), expected) and same_outcome(
            expected, result_of(candidate, request)
        ):
            return False
    return True


def reproduces(student: Student, exchange: Exchange | None, received: Any, recording: Recording | None = None) -> bool:
    """Return whether a known wrong answer gives the same answer to the last request before the failure.

    One request costs a fraction of the whole check, and rules out most candidates. ``received``: the wrong result. If it is not a
    tensor, only those results count that differ from the right answer of the ``recording``, since most mistakes do not affect the
    others; if none differs, the failure is about something else, such as gradients, and all results must agree.
    """
    if exchange is None:
        return True
    try:
        with suppress_output():
            value = student.answer(exchange.request).value
    except CheckFailure as failure:
        return exchange.failure is not None and same_failure(exchange.failure, failure)
    except Exception:
        return False
    if exchange.failure is not None:
        return False
    list_results = tensors_of
    results, candidate_results = list_results(exchange.value), list_results(value)
    if len(results) != len(candidate_results):  # one may have numbers where the other has tensors without axes
        list_results = _tensors_and_numbers
        results, candidate_results = list_results(exchange.value), list_results(value)
    if len(results) != len(candidate_results) or not results:
        return len(results) == len(candidate_results)
    suspects = [n for n, x in enumerate(results) if isinstance(received, Tensor) and same_outcome(x, received)]
    if not suspects and recording and len(results) > 1:
        right_results = list_results(recording.answer(exchange.request))
        if len(right_results) == len(results):
            suspects = [n for n, x in enumerate(results) if not same_outcome(x, right_results[n])]
            if not suspects:
                return all(map(same_outcome, results, candidate_results))
    return any(same_outcome(results[n], candidate_results[n]) for n in (suspects or range(len(results))))


def _tensors_and_numbers(value: Any) -> list[Any]:
    """Return the tensors and the floats in a result, in order."""
    if isinstance(value, Tensor | float):
        return [value]
    if isinstance(value, Mapping):
        return [leaf for key in sorted(value, key=str) for leaf in _tensors_and_numbers(value[key])]
    if isinstance(value, tuple | list):
        return [leaf for item in value for leaf in _tensors_and_numbers(item)]
    return []


def diagnosis_holds(
    student: Student,
    right: Student,
    requests: Iterable[Request],
    index: int,
    name: str,
    look: Callable[[Tensor, Tensor, Request], str],
) -> bool:
    """Return whether the result at ``index`` shows the symptom ``name`` in every wrong answer of the student.

    ``look`` returns the symptom in a wrong tensor, given the right one and the request.
    """
    for request in requests:
        actual, expected = (tensors_of(result_of(answerer, request)) for answerer in (student, right))
        if index >= min(len(actual), len(expected)) or same_outcome(actual[index], expected[index]):
            continue
        if look(actual[index], expected[index], request) != name:
            return False
    return True


def square_shapes(request: Request) -> Request:
    """Cut every axis of a request's tensors to one length, at which fewer mistakes raise an error."""
    lengths = [length for x in request.args if isinstance(x, Tensor) for length in x.shape if length > 1]
    if request.build is not None or not lengths:
        return request
    shortest = slice(min(lengths))
    cut = tuple(x[(shortest,) * x.dim()] if isinstance(x, Tensor) else x for x in request.args)
    return replace(request, args=cut, cotangents=None)


def depends_on_numbers(student: Student, requests: Iterable[Request]) -> bool:
    """Return whether the answer to any of these requests depends on the numbers in it."""
    for request in requests:
        changed_request = replace(request, args=tuple(map(_with_other_numbers, request.args)))
        if not same_outcome(result_of(student, request), result_of(student, changed_request)):
            return True
    return False


def _with_other_numbers(value: Any) -> Any:
    return value.square() + 0.5 if isinstance(value, Tensor) and value.is_floating_point() else value


def repeats(student: Student, request: Request) -> bool:
    """Return whether a request gets the same answer again, once its arguments lie in memory as they did the first time.

    They lie in two orders by turns. An answer that subtracts large numbers rounds differently in them, and is not random.
    """
    first = result_of(student, request)
    return any(same_outcome(first, result_of(student, request)) for _ in range(2))


def result_of(student: Student, request: Request) -> Any:
    try:
        with suppress_output():
            return student.answer(request).value
    except CheckFailure as failure:
        return failure
    except Exception as error:
        return CheckFailure("crash", type(error).__name__, received=type(error).__name__)


def same_outcome(a: Any, b: Any) -> bool:
    """Return whether two outcomes agree: the same kind of failure, or results with equal numbers."""
    if isinstance(a, CheckFailure) or isinstance(b, CheckFailure):
        if not (isinstance(a, CheckFailure) and isinstance(b, CheckFailure) and a.kind == b.kind):
            return False
        return a.kind != "crash" or _same_words(a.received, b.received)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if a.is_meta or b.is_meta:  # no numbers to compare
            return a.shape == b.shape and a.device == b.device
        return a.shape == b.shape and a.is_complex() == b.is_complex() and equal(a.detach(), b.detach())
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str):
        return len(a) == len(b) and all(map(same_outcome, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):  # the sandbox returns keys as text
        first, second = ({str(key): value for key, value in mapping.items()} for mapping in (a, b))
        return first.keys() == second.keys() and all(same_outcome(first[key], second[key]) for key in first)
    if isinstance(a, Tensor) != isinstance(b, Tensor):
        return _same_number(a, b) or _same_number(b, a)
    if isinstance(a, float) and isinstance(b, float):  # up to rounding, like the numbers in tensors
        return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12) or (a != a and b != b)
    return type(a) is type(b) and bool(a == b)


def _same_number(a: Any, b: Any) -> bool:
    """Return whether ``a``, a 0-d tensor, equals the plain number ``b`` in value and kind: checks accept either form."""
    if not isinstance(a, Tensor) or a.dim() or a.is_meta or a.is_complex() or a.dtype is torch.bool:
        return False
    if a.is_floating_point():
        return isinstance(b, float) and equal(a.detach(), a.new_tensor(b))
    return type(b) is int and a.item() == b


def _same_words(a: Any, b: Any) -> bool:
    """Return whether two errors agree, including the mismatched sizes in their messages.

    The message of a ValueError is not compared: exercises ask for it, so the words are the student's own, or those of the
    course's library, which validates sizes before PyTorch would raise a RuntimeError.
    """
    kinds = {str(error).partition(":")[0] for error in (a, b)}
    return bool(a == b) or ("ValueError" in kinds and kinds <= {"ValueError", "RuntimeError"})


#: Returns requests of many shapes for the function of a name.
RequestsFor = Callable[[str], Sequence[Request]]


@dataclass(frozen=True)
class Search:
    """The search for an answer that explains a student's failed rows, and the evidence that it must agree with.

    ``passed``: the checks that passed. ``make_student`` returns a student who answers with the functions of a namespace.
    """

    lesson: Lesson
    exercise: str
    failed: Sequence[FailedCheck]
    passed: Sequence[Check]
    student: Student | None
    recording: Recording
    requests_for: RequestsFor
    make_student: Callable[[dict[str, Any], Lesson], Student]
    #: Misconceptions that give the student's numbers in the rows that are True, and other wrong numbers in others.
    partial: list[tuple[Case, list[bool]]] = field(default_factory=list)

    def best(self, number: int, cases: Iterable[Case] | None = None) -> tuple[Case | None, list[bool]]:
        """Find the wrong answer that fails row ``number`` like the student's answer and explains the most other rows.

        Returns it, and for each row whether it explains it. Candidates are ``cases``, by default the known misconceptions.
        """
        best: tuple[Case | None, list[bool]] = (None, [])
        if not comparable(self.failed[number]):
            return best
        confirming = functools.cache(lambda: self._confirming_requests(self.failed[number]))
        for case in misconceptions(self.lesson, self.exercise) if cases is None else cases:
            names = _names_in(self.lesson, case, variants.student()) if cases is None else _run(self.lesson, case)
            if names is None:
                continue
            candidate = self.make_student(names, self.lesson)
            same = self._same(candidate, number)
            if sum(same) <= sum(best[1]) or self._ruled_out(candidate, same, None if cases else case):
                continue
            contradicted = self._is_contradicted(candidate, same)
            if contradicted and (cases is not None or self.failed[number].failure.kind != "value"):
                continue
            if self.student is None or (confirming() and same_answers(self.student, candidate, confirming())):
                if contradicted:
                    self.partial.append((case, same))
                    continue
                best = (case, same)
                if all(same):  # no other explains more
                    break
        return best

    def _same(self, candidate: Student, number: int) -> list[bool]:
        """Return, for each row, whether a wrong answer fails it like the student's; all False if row ``number`` differs."""
        same = [False] * len(self.failed)
        for row in (number, *(n for n in range(len(self.failed)) if n != number)):
            failed_check = self.failed[row]
            same[row] = (
                comparable(failed_check)
                and reproduces(candidate, failed_check.exchange, failed_check.failure.received, self.recording)
                and _fails_alike(candidate, failed_check, self.recording.seed)
            )
            if not same[number]:
                break
        return same

    def _ruled_out(self, candidate: Student, same: Sequence[bool], misconception: Case | None) -> bool:
        """Return whether a wrong answer cannot be the student's mistake: it would fail a check that passed, or raise an error for
        fewer inputs than the student's answer. The checks that a known ``misconception`` fails are determined once per process.
        """
        crashes = sum(
            failed_check.failure.kind == "crash"
            for failed_check, fits in zip(self.failed, same, strict=True)
            if not fits
        )
        if crashes > sum(same):
            return True
        student_id, seed = variants.student(), self.recording.seed
        return any(  # a known failure is confirmed with the student's inputs: a few occur for some seeds only
            (misconception is None or _known_to_fail(self.lesson, misconception, student_id, check, self.make_student))
            and _fails(candidate, check, seed)
            for check in self.passed
        )

    def _is_contradicted(self, candidate: Student, same: Sequence[bool]) -> bool:
        """Return whether a wrong answer fails another row with numbers unlike the student's: it is then not the only mistake."""
        unexplained = (failed_check for failed_check, fits in zip(self.failed, same, strict=True) if not fits)
        return any(_contradicts(candidate, failed_check, self.recording.seed) for failed_check in unexplained)

    def _confirming_requests(self, failed_check: FailedCheck) -> Sequence[Request]:
        """Return further requests, on which a known mistake must agree with the student's answers.

        An error or a shape is weak evidence, since many mistakes fail for the same inputs; so other shapes are compared too.
        """
        requests: Sequence[Request] = self.recording.largest(failed_check.check)
        if failed_check.exchange is not None and failed_check.failure.kind in ("crash", "shape"):
            cut = square_shapes(failed_check.exchange.request)
            usable = not isinstance(result_of(self.recording.right, cut), CheckFailure)
            requests = [*requests, *self.requests_for(failed_check.exchange.request.name), *([cut] if usable else [])]
        # A check that only measures makes no request that can be repeated.
        requests = requests or self.requests_for(self.exercise)
        if not requests and failed_check.exchange is not None and is_large(failed_check.exchange.request):
            return [failed_check.exchange.request]  # thousands of draws that agree are no coincidence
        return requests


#: Kinds of failures that reveal nothing about the numbers that the student's answer computes.
_SILENT = ("crash", "forbidden", "time")


def _contradicts(student: Student, failed_check: FailedCheck, seed: int) -> bool:
    """Return whether a known mistake fails this check too, but always differently from the student's answer."""
    if failed_check.failure.kind in _SILENT or not comparable(failed_check):
        return False
    failure = call_check(failed_check.check, student, seed)
    if failure is None or failure.kind in _SILENT or same_failure(failure, failed_check.failure):
        return False
    again = call_check(failed_check.check, student, seed)
    return again is not None and same_failure(failure, again)


def comparable(failed_check: FailedCheck) -> bool:
    """Return whether known wrong answers can be compared on this failure: measured checks are slow and not reproducible."""
    return failed_check.failure.kind not in ("unwritten", "missing", "time") and not mark_value(
        failed_check.check, "measured"
    )


def _fails(student: Student, check: Check, seed: int) -> bool:
    counts = mark_value(check, "points", 0) and not mark_value(check, "measured")
    return bool(counts) and call_check(check, student, seed) is not None


_ANY_SEED = 1


@functools.cache
def _known_to_fail(
    lesson: Lesson, case: Case, student_id: str, check: Check, make_student: Callable[[dict[str, Any], Lesson], Student]
) -> bool:
    """Return whether a known wrong answer fails a check; cached for all seeds, since a class makes the same mistakes."""
    return _fails(make_student(_names_in(lesson, case, student_id) or {}, lesson), check, _ANY_SEED)


def _fails_alike(student: Student, failed_check: FailedCheck, seed: int) -> bool:
    """Return whether this known wrong answer fails the check in the same way as the student's answer."""
    failure = call_check(failed_check.check, student, seed)
    return (
        failure is not None
        and same_failure(failed_check.failure, failure)
        and same_departure(failed_check.failure, failure)
    )


def is_rounded(failure: CheckFailure) -> bool:
    """Return whether a wrong value differs from the expected one only by rounding to a lower precision."""
    actual, expected = failure.received, failure.wanted
    if (
        not isinstance(actual, Tensor)
        or not isinstance(expected, Tensor)
        or actual.shape != expected.shape
        or actual.is_complex()
    ):
        return False
    actual, expected = actual.detach().double(), expected.detach().double()
    size = float(expected.abs().max()) if expected.numel() else 0.0
    return bool((actual.isfinite() & expected.isfinite()).all()) and torch.allclose(
        actual, expected, rtol=1e-4, atol=1e-5 * size
    )


#: Minimum count of numbers for the finding that all deviate from the right ones in the same direction.
_FEWEST_TO_ONE_SIDE = 8


def same_departure(a: CheckFailure, b: CheckFailure) -> bool:
    """Return whether two results that agree with the right one in their first digits can have the same cause.

    Such results also agree with each other, whatever their causes. Rounding makes some numbers too large and others too small; a
    constant or a factor shifts all in one direction, and then results with the same cause deviate by the same amounts.
    """
    if not is_rounded(a) or a.received.shape != b.received.shape or a.received.numel() < _FEWEST_TO_ONE_SIDE:
        return True
    departure_a, departure_b = (failure.received.detach().double() - a.wanted.detach().double() for failure in (a, b))
    if min(_to_one_side(departure_a), _to_one_side(departure_b)) > 0.9:
        return torch.allclose(departure_a, departure_b, rtol=0.05, atol=0.05 * float(departure_a.abs().max()))
    return (_to_one_side(departure_a) > 0.9) == (_to_one_side(departure_b) > 0.9)


def _to_one_side(departure: Tensor) -> float:
    """Return 1 if all numbers have the same sign, and about 0 if the signs are distributed as those of rounding errors."""
    size = float(departure.abs().sum())
    return abs(float(departure.sum())) / size if size else 0.0


@functools.cache
def _names_in(lesson: Lesson, case: Case, student_id: str) -> dict[str, Any] | None:
    """Run a known answer, once per student because it may draw their numbers, and return its namespace."""
    return _run(lesson, case)


def _run(lesson: Lesson, case: Case) -> dict[str, Any] | None:
    """Run a wrong answer, and return its namespace; None for a mutant that raises an error."""
    names = references.namespace(lesson)
    try:
        with suppress_output():
            exec(compile(case.text, str(case), "exec"), names)
    except Exception:
        return None
    return names
