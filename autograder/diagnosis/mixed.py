"""Whether the result for one example of a batch depends on another example, where in a right answer it does not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.diagnosis.changes import Symptom, another, tensors_in, with_tensors
from autograder.diagnosis.confirmation import alike, outcome
from autograder.runtime.student import Request, Student
from autograder.runtime.tensors import tensors_of


def mixed(student: Student, right: Student, requests: Sequence[Request]) -> Symptom | None:
    """The result for one example changes with another example, or with the mask of another one."""
    for masks in (False, True):
        if found := _mixed_by(student, right, requests, masks):
            return found
    return None


def _mixed_by(student: Student, right: Student, requests: Sequence[Request], masks: bool) -> Symptom | None:
    held = [(request, given) for request in requests if (given := _of_the_batch(right, request, masks))]
    # A catalogue may by chance be as long as the batch, in some of the requests.
    always = set[int | str].intersection(*(set(given) for _, given in held)) if held else set()
    parts = [(request, {place: given[place] for place in always}) for request, given in held if always]
    if not any(_changes_others(student, right, *part) for part in parts):
        return None
    if masks:
        return (
            "masks of the batch mixed",
            "If only the mask of the first example changes, your results for the others change too. Each example has a mask of "
            "its own.",
        )
    return (
        "examples of the batch mixed",
        "If only the first example of the batch changes, your results for the others change too. Look for a sum, a mean, a "
        "softmax or a view along the first axis, and for what is made of the first example, or of all, and used for each.",
    )


def _changes_others(student: Student, right: Student, request: Request, given: Mapping[int | str, Tensor]) -> bool:
    """Return whether another first example changes what the student's answer, unlike a right one, gives for the others."""
    expected, received = (_rest(outcome(each, request)) for each in (right, student))
    return bool(expected) and any(
        alike(expected, _rest(outcome(right, other))) and not alike(received, _rest(outcome(student, other)))
        for other in _with_another_first(request, given)
    )


def _with_another_first(request: Request, given: Mapping[int | str, Tensor]) -> Iterator[Request]:
    """Yield the request with another first example, and with its opposite: one alone may by chance make no difference."""
    yield with_tensors(request, {place: torch.cat([another(x[:1]), x[1:]]) for place, x in given.items()})
    if all(x.is_floating_point() for x in given.values()):
        yield with_tensors(request, {place: torch.cat([-another(x[:1]), x[1:]]) for place, x in given.items()})


def _rest(value: Any) -> list[Tensor]:
    """Return results without what belongs to the first example; what has no axis, such as a loss, belongs to all of them."""
    return [x[1:] for x in tensors_of(value) if x.dim()]


def _of_the_batch(right: Student, request: Request, masks: bool) -> dict[int | str, Tensor]:
    """Return the arguments, masks or others, that hold one part for each example of the batch; empty if there is one example.

    They are as long as a right result. The others, such as a catalogue that all questions search, belong to every example.
    """
    given = {place: x for place, x in tensors_in(request).items() if x.dim() >= 2 and (x.dtype == torch.bool) == masks}
    lengths = {x.shape[0] for x in given.values()}
    if len(lengths) > 1:
        lengths &= {x.shape[0] for x in tensors_of(outcome(right, request)) if x.dim()}
    if len(lengths) != 1 or max(lengths) < 2:
        return {}
    return {place: x for place, x in given.items() if x.shape[0] in lengths}
