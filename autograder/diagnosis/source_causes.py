"""Causes that the source of an answer suggests and its results confirm: a variable in place of an argument, a cached result."""

import builtins
import itertools
from collections.abc import Sequence

from autograder.content import references
from autograder.diagnosis.probes import replace_tensors, tensors_in
from autograder.diagnosis.search import Search, result_of, same_outcome
from autograder.runtime.blocked.source import stores_written, variables_for_arguments
from autograder.runtime.errors import Diagnosis
from autograder.runtime.student import Request, Student

#: In Python's message about a name without a value.
_NO_NAME = "NameError: name "


def variable_read(search: Search) -> Diagnosis | None:
    """Return a diagnosis if the answer reads a variable of the notebook and never reads one of its arguments."""
    student = search.student
    if student is None or any(_NO_NAME in str(failed_check.failure.received) for failed_check in search.failed):
        return None  # a misspelt name is no variable
    unread, values = variables_for_arguments(student.source(search.exercise), search.exercise)
    reference_names = references.namespace(search.lesson)
    variables = [
        name
        for name in values
        if not name.isupper()
        and name not in reference_names
        and not hasattr(builtins, name)
        and not student.source(name)
    ]
    if not unread or not variables:
        return None
    single = len(unread) == 1
    return Diagnosis(
        "a variable of the notebook in the place of an argument",
        f"No line reads the argument{'s' * (not single)} {' and '.join(unread)}. Instead the function reads "
        f"{' and '.join(variables)}, from another cell. Look at where this name stands: a function should use only "
        "its arguments.",
    )


#: Kinds of failures of a result that belongs to an earlier call.
KEPT = ("value", "shape", "constant", "detached")


def kept_result(search: Search, diagnoses: Sequence[Diagnosis | None]) -> Diagnosis | None:
    """Return a diagnosis if only a cached result explains the rows: the answer writes to something that outlives the call, and
    its results do not follow from the arguments.
    """
    student, exercise = search.student, search.exercise
    stores = stores_written(student.source(exercise), exercise) if student else []
    if student is None or not stores:
        return None
    if any(
        diagnosis and failed_check.failure.kind not in KEPT[2:]
        for diagnosis, failed_check in zip(diagnoses, search.failed, strict=True)
    ):
        return None
    if not _is_kept(search, student, search.requests_for(exercise)):
        return None
    return Diagnosis(
        "results remembered",
        f"The function writes into {' and '.join(stores)}, which outlives the call. Does a later call get what an earlier one "
        "has left there? Look at what decides whether the kept result is taken.",
    )


def _is_kept(search: Search, student: Student, requests: Sequence[Request]) -> bool:
    """Return whether results ignore one of the tensors that right results depend on. Without tensor arguments, return whether
    some results are right and others wrong, or two are equal that should differ.
    """
    for request in requests:
        for place, x in tensors_in(request).items():
            changed_request = replace_tensors(request, {place: x.square() + 0.5} if x.is_floating_point() else {})
            right, changed = search.recording.answer(request), result_of(search.recording.right, changed_request)
            if not same_outcome(right, changed) and same_outcome(
                *(result_of(student, either) for either in (request, changed_request))
            ):
                return True
    if any(map(tensors_in, requests)):
        return False
    outcomes = [(search.recording.answer(request), result_of(student, request)) for request in requests]
    return (
        bool(search.passed)
        or any(same_outcome(*pair) for pair in outcomes)
        or any(
            same_outcome(actual, next_actual) and not same_outcome(right, next_right)
            for (right, actual), (next_right, next_actual) in itertools.pairwise(outcomes)
        )
    )
