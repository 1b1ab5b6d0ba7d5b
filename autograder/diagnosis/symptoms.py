"""Symptoms in a wrong result: the fallback diagnosis when no known mistake gives the same result."""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from autograder.content.lesson import Lesson
from autograder.diagnosis import call_errors, lists, patterns, search, shapes
from autograder.diagnosis.error_catalogue import ABOUT_AXES, ERRORS, KINDS_OF_ERRORS, SHAPE_ERRORS
from autograder.diagnosis.kind_errors import KIND_ERRORS
from autograder.diagnosis.patterns import Symptom, same
from autograder.diagnosis.probes import tensors_in
from autograder.runtime.errors import CheckFailure, Diagnosis
from autograder.runtime.state import tensors_of
from autograder.runtime.student import Exchange, Request, Student

#: Values are right, gradient is wrong.
CUT = (
    "a path of the gradient is cut",
    "The values are right and a gradient is not: somewhere between the inputs and the result a tensor has lost its history, by "
    ".detach(), .data, .item(), torch.no_grad() or torch.tensor(...).",
)

#: The same call gives different values when repeated.
CHANGING = (
    "result changes from call to call",
    "The same inputs give different numbers each time. Something random is drawn in every call, or an earlier call "
    "is remembered.",
)

#: Results are right, their order is wrong.
EXCHANGED = (
    "results in the wrong order",
    "Your results are the expected ones, in a different order. The docstring says which one comes first.",
)

#: All numbers are the same multiple of the right ones.
FACTOR = "off by a constant factor"

#: Numbers are right in their first digits only.
ROUNDED = (
    "right in the first digits only",
    "Your numbers are right to four digits or more, and no further. Somewhere they pass through a type with fewer digits (such "
    "as float32 among float64: torch.sqrt(torch.tensor(D)) is float32, and D ** 0.5 is a plain number), or a small constant is "
    "added that does not belong there.",
)

#: A lesson's function that recognises a symptom in a failure, given the expected tensor.
Look = Callable[[CheckFailure, Tensor | None], Symptom | None]


def symptom(
    failure: CheckFailure, expected: Tensor | None, lesson_symptom: Look | None = None, inputs: Sequence[Tensor] = ()
) -> Symptom | None:
    """Return (cause, hint) for a failure whose wrong result shows a symptom, or None. ``inputs``: those of the failed call.

    The lesson's own symptoms take precedence over general ones.
    """
    if failure.kind == "crash":
        text = str(failure.received)
        result = (
            call_errors.numpy_call(failure)
            or shapes.assigned(text)
            or from_error_message(text, (*SHAPE_ERRORS, *KIND_ERRORS))
            or call_errors.unfit_arguments(failure)
            or call_errors.count_without_beginning(failure)
            or from_error_message(text, ERRORS)
        )
        result = result or (lesson_symptom(failure, expected) if lesson_symptom else None)
        return result or call_errors.refused_by_another(failure) or from_error_message(text, KINDS_OF_ERRORS)
    actual = failure.received
    if (
        failure.kind != "value"
        or not isinstance(actual, Tensor)
        or expected is None
        or actual.shape != expected.shape
        or actual.is_complex()
    ):
        return shapes.symptom(failure) or (lesson_symptom(failure, expected) if lesson_symptom else None)
    if search.is_rounded(failure):
        return ROUNDED
    actual, expected = actual.detach().double(), expected.detach().double()
    result = first_symptom(GENERAL, actual, expected) or (lesson_symptom(failure, expected) if lesson_symptom else None)
    if result or not patterns.is_informative(expected):
        return result
    return patterns.from_inputs(actual, expected, inputs) or first_symptom(patterns.LOOKS, actual, expected)


def plain_error(failure: CheckFailure) -> Symptom | None:
    """Return (cause, hint) for an error with a message that identifies one mistake; None for any other failure."""
    if failure.kind != "crash":
        return None
    vague = {*ABOUT_AXES, *(cause for _, cause, _ in KINDS_OF_ERRORS)}
    result = symptom(failure, None)
    return result if result and result[0] not in vague else None


def first_symptom(looks: Iterable[patterns.Look], actual: Tensor, expected: Tensor) -> Symptom | None:
    """Return the first symptom found, or None."""
    return next((result for look in looks if (result := look(actual, expected))), None)


def from_error_message(text: str, table: Iterable[tuple[str, str, str]]) -> Symptom | None:
    """Return the entry of the table that matches an error message. ``…`` in an entry stands for any words."""
    return next(((cause, hint) for part, cause, hint in table if _holds(text, part)), None)


def _holds(text: str, part: str) -> bool:
    if "…" not in part:
        return part in text
    return re.search(".*?".join(map(re.escape, part.split("…"))), text) is not None


def _not_a_number(actual: Tensor, expected: Tensor) -> Symptom | None:
    if not actual.isnan().any():
        return None
    if actual.numel() == 1:
        return "not a number", (
            "Look for exp of a large number (inf / inf), for a mean over nothing, 0/0, and for the logarithm of a number below 0."
        )
    empty = (expected == 0).all(-1)
    if empty.any() and torch.equal(actual.isnan().any(-1), empty):
        return "not a number where nothing may be attended to", (
            "A row in which every similarity is −inf becomes 0/0. Decide what such a row should hold, and write it."
        )
    return "not a number", (
        "Look for exp of a large number (inf / inf), for 0 / 0 (where every exponential has become 0), for 0 · inf, and for −inf "
        "minus −inf."
    )


def _infinite(actual: Tensor, expected: Tensor) -> Symptom | None:
    if not actual.isinf().any() or not expected.isfinite().all():
        return None
    return "an infinite number", "Look for exp of a large number, for the logarithm of 0, and for a division by 0."


def _all_zero(actual: Tensor, expected: Tensor) -> Symptom | None:
    return ("all zeros", "Every entry of the result is 0.") if actual.numel() > 1 and not actual.any() else None


def _transposed(actual: Tensor, expected: Tensor) -> Symptom | None:
    if actual.dim() >= 2 and same(actual, expected.transpose(-2, -1)):
        return "transposed", "Your result is the expected one with its last two dimensions swapped."
    return None


def _multiple(actual: Tensor, expected: Tensor) -> Symptom | None:
    used = expected.abs() > 1e-9
    if not used.any() or bool((actual[~used].abs() > 1e-9).any()):
        return None
    ratio = actual[used] / expected[used]
    factor = ratio[0].item()
    if len(expected[used].unique()) < 3 or not math.isfinite(factor) or min(abs(factor), abs(factor - 1)) < 1e-5:
        return None  # so few numbers always have some common factor, and a factor of 1 is rounding
    if same(ratio, ratio[:1].expand_as(ratio)):
        return FACTOR, f"Every entry is {factor:.4g} times what it should be."
    return None


def _batch(actual: Tensor, expected: Tensor) -> Symptom | None:
    if (
        actual.dim() >= 3
        and actual.shape[0] > 1
        and patterns.is_informative(expected[0])
        and same(actual[0], expected[0])
    ):
        return "only the first of the batch is right", (
            "The first element of the batch is right and the others are not. Each has to be computed on its own."
        )
    return None


GENERAL: Sequence[patterns.Look] = (_not_a_number, _infinite, _all_zero, _transposed, _multiple, _batch)


#: An argument's index or name, and one of its axes.
Axis = tuple[int | str, int]
#: Minimum number of calls that have to succeed.
_FEWEST_FINE = 2


def fallback_diagnosis(
    lesson: Lesson,
    failure: CheckFailure,
    exchange: Exchange | None,
    student: Student | None,
    right: Student,
    requests_for: Callable[[str], Sequence[Request]],
) -> Diagnosis | None:
    """Return the check's own cause, or else the symptom of the wrong result if inputs of other shapes show it too.

    ``exchange``: the last request before the failure, with its answer. ``right``: a right answer to compare with.
    ``requests_for`` returns requests for the function of a name.
    """
    if student is not None and exchange is not None and _is_random(student, failure, exchange.request):
        return Diagnosis(*CHANGING)
    if failure.cause and failure.kind != "constant":  # a result that really is constant has its diagnosis already
        return Diagnosis(failure.cause, failure.hint)
    if exchange is not None and is_permuted(right, exchange):
        return Diagnosis(*EXCHANGED)
    if exchange is not None and student is not None and failure.kind == "value":
        requests = requests_for(exchange.request.name)
        if list_symptom := _list_symptom(student, right, (exchange.request, *requests)):
            return Diagnosis(*list_symptom)
    result = symptom(failure, failure.wanted, lesson.symptom, _inputs(exchange.request if exchange else None))
    if failure.kind == "shape" and student is not None and exchange is not None:
        symptoms = _symptoms_of_clear_shapes(
            student, right, requests_for(exchange.request.name), _wrong_index(failure, exchange), failure
        )
        if symptoms:
            return Diagnosis(*symptoms[0]) if len(set(symptoms)) == 1 else None
    if result is None or student is None or exchange is None:
        return Diagnosis(*result) if result else None
    if result[0] in ABOUT_AXES and _fails_at_length_one(student, right, requests_for(exchange.request.name)):
        return Diagnosis(*shapes.DROPPED)
    look = _namer(lesson, failure)
    requests = requests_for(exchange.request.name) if look else ()
    if look and not search.diagnosis_holds(student, right, requests, _wrong_index(failure, exchange), result[0], look):
        return None
    return Diagnosis(*result)


def _list_symptom(student: Student, right: Student, requests: Sequence[Request]) -> Symptom | None:
    """Return the symptom in the student's wrong list for the first request, if most of the other requests show it too."""
    symptoms = list[Symptom | None]()
    for number, request in enumerate(requests):
        actual, expected = (search.result_of(answerer, request) for answerer in (student, right))
        wrong = not isinstance(actual, CheckFailure) and not search.same_outcome(actual, expected)
        if wrong and (number == 0 or lists.is_informative(expected)):
            symptoms.append(lists.symptom(actual, expected, request))
        if not symptoms or symptoms[0] is None:
            return None
    first = symptoms[0]
    alike = sum(entry is not None and first is not None and entry[0] == first[0] for entry in symptoms)
    return first if 3 * alike >= 2 * len(symptoms) else None


def _fails_at_length_one(student: Student, right: Student, requests: Sequence[Request]) -> bool:
    """Return whether every failing call has an axis of length 1 that is longer in all succeeding calls."""
    stopped, fine = list[set[Axis]](), list[set[Axis]]()
    for request in requests:
        if isinstance(search.result_of(right, request), CheckFailure):
            continue
        value = search.result_of(student, request)
        (stopped if isinstance(value, CheckFailure) else fine).append(_axes_of_one(request))
    usual = set[Axis]().union(*fine)
    return len(fine) >= _FEWEST_FINE and bool(stopped) and all(axes - usual for axes in stopped)


def _axes_of_one(request: Request) -> set[Axis]:
    """Return the axes of length 1 of the arguments, as (argument, axis)."""
    return {(place, axis) for place, x in tensors_in(request).items() for axis, n in enumerate(x.shape) if n == 1}


def _symptoms_of_clear_shapes(
    student: Student, right: Student, requests: Sequence[Request], index: int, failure: CheckFailure
) -> list[Symptom]:
    """Return the symptoms of wrong shapes where the axes of the right one have distinct lengths, and so can be identified."""
    shape_pairs, exchanged = list[tuple[torch.Size, torch.Size]](), True
    for request in requests:
        actual, expected = (
            [x.shape for x in tensors_of(search.result_of(answerer, request))] for answerer in (student, right)
        )
        if index < min(len(actual), len(expected)):
            shape_pairs.append((actual[index], expected[index]))
            exchanged &= sorted(actual) == sorted(expected)
    wrong = [(actual, expected) for actual, expected in shape_pairs if actual != expected]
    if wrong and all(shapes.missing_axes(actual, expected) for actual, expected in wrong):
        return [shapes.DROPPED]
    # If results are in a different order, one has the length of another axis only by chance.
    if not exchanged and (length_symptom := shapes.another_length(shape_pairs, shapes.letters(failure))):
        return [length_symptom]
    clear = [(actual, expected) for actual, expected in wrong if len({1, *expected}) == 1 + len(expected)]
    symptoms = [shapes.difference(actual, expected, shapes.letters(failure)) for actual, expected in clear]
    clear_symptoms = [symptom for symptom in symptoms if symptom]
    common = shapes.common_difference(wrong) if len(set(clear_symptoms)) > 1 else None
    return [common] if common else clear_symptoms


def _namer(lesson: Lesson, failure: CheckFailure) -> Callable[[Tensor, Tensor, Request], str] | None:
    """Return a function that names the symptom in another request's result; None if this kind of failure has none."""
    if failure.kind == "shape":
        axis_letters = shapes.letters(failure)
        return lambda actual, expected, request: (
            shapes.difference(actual.shape, expected.shape, axis_letters) or ("", "")
        )[0]
    if failure.kind != "value" or not isinstance(failure.received, Tensor):
        return None

    def of_values(actual: Tensor, expected: Tensor, request: Request) -> str:
        if actual.shape != expected.shape:
            return ""
        wrong = CheckFailure("value", "", yours=failure.yours, received=actual, wanted=expected)
        return (symptom(wrong, expected, lesson.symptom, _inputs(request)) or ("", ""))[0]

    return of_values


def _is_random(student: Student, failure: CheckFailure, request: Request) -> bool:
    """Return whether the failed request, if not in training mode, gets a different answer each time."""
    return failure.kind == "value" and not request.training and not search.repeats(student, request)


def is_permuted(right: Student, exchange: Exchange) -> bool:
    """Return whether the student's results are the right ones in another order."""
    received = exchange.value
    expected = search.result_of(right, exchange.request)
    if not isinstance(received, tuple) or not isinstance(expected, tuple) or len(received) != len(expected):
        return False
    return not search.same_outcome(received, expected) and any(
        search.same_outcome(order, expected) for order in itertools.permutations(received)
    )


def _wrong_index(failure: CheckFailure, exchange: Exchange) -> int:
    """Return the index of the result that the check reports as wrong."""
    results = tensors_of(exchange.value)
    if failure.kind == "shape":
        return next((n for n, value in enumerate(results) if list(value.shape) == failure.received), 0)
    return next((n for n, value in enumerate(results) if search.same_outcome(value, failure.received)), 0)


def _inputs(request: Request | None) -> list[Tensor]:
    return [x for x in request.args if isinstance(x, Tensor)] if request else []
