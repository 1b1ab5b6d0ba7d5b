"""Find inputs that a wrong answer ignores, mixes or wrongly depends on, by perturbing requests.

Each probe changes one aspect of a call: an argument, a parameter, one example of the batch, one row. A mistake shows if the right
answer changes and the student's does not, or vice versa.
"""

import inspect
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.diagnosis.patterns import Symptom
from autograder.diagnosis.search import FailedCheck, result_of, same_outcome
from autograder.runtime.errors import CheckFailure, Diagnosis
from autograder.runtime.state import tensors_of
from autograder.runtime.student import Request, Student

#: Maximum number of submodules for changing parameters: each change costs a call.
_MOST_SUBMODULES = 12


#: Minimum number of changes without an effect. Integers need more: one such as a maximum length often has none in a right answer.
ENOUGH, ENOUGH_NUMBERS = 2, 5


def changes(request: Request, function: Any) -> Iterator[tuple[Symptom, int, Request]]:
    """Yield (symptom, count, request) for each change of an argument or parameter: ``count`` without effect show the symptom."""
    called = function.forward if request.build is not None else function
    parameters = [parameter for parameter in _parameters(called) if parameter.name != "self"]
    for place, (value, parameter) in enumerate(zip(request.args, parameters, strict=False)):
        for other_value in _other_values(value, parameter.default):
            args = (*request.args[:place], other_value, *request.args[place + 1 :])
            yield _argument(parameter.name), _enough(value), replace(request, args=args)
    defaults = {parameter.name: parameter.default for parameter in parameters}
    for name, value in request.kwargs.items():
        for other_value in _other_values(value, defaults.get(name, inspect.Parameter.empty)):
            yield _argument(name), _enough(value), replace(request, kwargs={**request.kwargs, name: other_value})
    for place, (value, parameter) in enumerate(zip(request.build or (), _parameters(function), strict=False)):
        if parameter.default not in (inspect.Parameter.empty, value) and not isinstance(value, Tensor):
            build = (*request.build[:place], parameter.default, *request.build[place + 1 :]) if request.build else None
            yield _argument(parameter.name), ENOUGH, replace(request, build=build)
    weights = request.weights or {}
    submodules = dict.fromkeys(name.rpartition(".")[0] or name for name in weights)
    for submodule in submodules if len(submodules) <= _MOST_SUBMODULES else ():
        changed_weights = {
            name: resample(x) if (name.rpartition(".")[0] or name) == submodule else x for name, x in weights.items()
        }
        yield _parameter(submodule), ENOUGH, replace(request, weights=changed_weights)


def _enough(value: Any) -> int:
    return ENOUGH_NUMBERS if isinstance(value, int) and not isinstance(value, bool) else ENOUGH


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def _argument(name: str) -> Symptom:
    return (
        f"{name} makes no difference",
        f"Your result does not change with `{name}`, and it should. Look at where the argument is used.",
    )


def _parameter(name: str) -> Symptom:
    return (
        f"{name} makes no difference",
        f"{name} could hold any numbers, and your result would be the same. Look at its input, and at how its output is used.",
    )


def _other_values(value: Any, default: Any) -> Iterator[Any]:
    """Yield alternative values of an argument: its default, if that differs, or values of the same type."""
    if isinstance(value, Tensor):
        yield resample(value)
        if not value.is_floating_point() and value.dtype != torch.bool and value.numel() > 1:
            yield _without_the_first(value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float | str) and default not in (inspect.Parameter.empty, None, value):
        yield default
    if isinstance(value, int) and not isinstance(value, bool):
        yield value + 1
        if default in (inspect.Parameter.empty, None, value):  # no default to try: a second other value
            yield 2 * value + 3
    elif isinstance(value, float):
        yield value / 2 + 0.25


def resample(x: Tensor) -> Tensor:
    """Return a tensor of the same shape and dtype with other numbers; ids are permuted."""
    if x.dtype == torch.bool:
        return ~x
    return x.square() + 0.5 if x.is_floating_point() else x.roll(1, -1) if x.dim() else x + 1


def _without_the_first(x: Tensor) -> Tensor:
    """Overwrite the first of these integers with the last one, which no permutation does."""
    changed = x.clone()
    changed[(0,) * x.dim()] = x[(-1,) * x.dim()]
    return changed


def resample_rows(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return two tensors of the shape of x whose rows differ from those of x."""
    if not x.is_floating_point():
        return x.roll(1, 1), x.roll(2, 1)
    return x.square() + 0.5, -5 * x.square() - 0.5


def tensors_in(request: Request) -> Mapping[int | str, Tensor]:
    arguments: list[tuple[int | str, Any]] = [*enumerate(request.args), *request.kwargs.items()]
    return {place: x for place, x in arguments if isinstance(x, Tensor)}


def replace_tensors(request: Request, changed: Mapping[int | str, Tensor]) -> Request:
    args = tuple(changed.get(place, value) for place, value in enumerate(request.args))
    return replace(request, args=args, kwargs={name: changed.get(name, x) for name, x in request.kwargs.items()})


def batch_leakage(student: Student, right: Student, requests: Sequence[Request]) -> Symptom | None:
    """Detect a result for one example that depends on another example, or on another example's mask."""
    for masks in (False, True):
        if symptom := _leakage_by(student, right, requests, masks):
            return symptom
    return None


def _leakage_by(student: Student, right: Student, requests: Sequence[Request], masks: bool) -> Symptom | None:
    pairs = [(request, batched) for request in requests if (batched := _of_the_batch(right, request, masks))]
    # In some requests a catalogue may by chance be as long as the batch.
    always = set[int | str].intersection(*(set(batched) for _, batched in pairs)) if pairs else set()
    batched_requests = [(request, {place: batched[place] for place in always}) for request, batched in pairs if always]
    by_axes: dict[tuple[int, ...], list[tuple[bool, bool]]] = {}
    for request, batched in batched_requests:
        axes = tuple(x.dim() for x in batched.values())
        by_axes.setdefault(axes, []).extend(_changes_others(student, right, request, batched))
    # Where a right result ever changes, the first axis is no batch: its rows, or the tokens of a text, belong together.
    batches = [effects for effects in by_axes.values() if not any(of_right for of_right, _ in effects)]
    if not any(of_student for effects in batches for _, of_student in effects):
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
        "softmax or a view along the first axis, and for a value that is computed from the first example, or from all, and used "
        "for each.",
    )


def _changes_others(
    student: Student, right: Student, request: Request, batched: Mapping[int | str, Tensor]
) -> Iterator[tuple[bool, bool]]:
    """Yield whether changing the first example changes the right results for the others, and whether it changes the student's."""
    expected, received = (_rest(result_of(answerer, request)) for answerer in (right, student))
    for changed_request in _with_another_first(request, batched) if expected else ():
        expected_after = _rest(result_of(right, changed_request))
        # Captions of a batch are as long as the longest of them: a different length says nothing about the rest.
        if [x.shape for x in expected_after] == [x.shape for x in expected]:
            changed = not same_outcome(expected, expected_after)
            yield changed, not changed and not same_outcome(received, _rest(result_of(student, changed_request)))


def _with_another_first(request: Request, batched: Mapping[int | str, Tensor]) -> Iterator[Request]:
    """Yield the request with a different first example, and with the negative of that: one alone may have no effect by chance."""
    yield replace_tensors(request, {place: torch.cat([resample(x[:1]), x[1:]]) for place, x in batched.items()})
    if all(x.is_floating_point() for x in batched.values()):
        yield replace_tensors(request, {place: torch.cat([-resample(x[:1]), x[1:]]) for place, x in batched.items()})


def _rest(value: Any) -> list[Tensor]:
    """Return the results for all examples but the first. Scalars, such as a loss, belong to all examples and are omitted."""
    return [x[1:] for x in tensors_of(value) if x.dim()]


def _of_the_batch(right: Student, request: Request, masks: bool) -> dict[int | str, Tensor]:
    """Return the arguments with one entry per example of the batch, either masks or others; empty for a batch of one.

    Their length equals that of a right result. Arguments of another length, such as a catalogue, are shared by all examples.
    """
    candidates = {
        place: x for place, x in tensors_in(request).items() if x.dim() >= 2 and (x.dtype == torch.bool) == masks
    }
    lengths = {x.shape[0] for x in candidates.values()}
    if len(lengths) > 1:
        lengths &= {x.shape[0] for x in tensors_of(result_of(right, request)) if x.dim()}
    if len(lengths) != 1 or max(lengths) < 2:
        return {}
    return {place: x for place, x in candidates.items() if x.shape[0] in lengths}


#: Returns the submodule to which a parameter belongs.
SubmoduleOf = Callable[[str], str]

#: With fewer submodules none stands out; with more, too many calls are needed.
_FEWEST, _MOST = 3, 12


def faulty_module(student: Student, right: Student, requests: Sequence[Request]) -> Symptom | None:
    """Find the one submodule that makes the results of all these requests right when it is zeroed.

    It counts only if, with it zeroed, wrong results would still depend on most other submodules: zeroing a last layer hides every
    mistake.
    """
    failing = [request for request in requests if request.weights and _wrong(student, right, request)]
    if len(failing) < 2:
        return None
    names = [name for request in failing for name in request.weights or ()]
    submodule_of = _submodule if len({*map(_submodule, names)}) <= _MOST else _outermost
    submodules = list(dict.fromkeys(map(submodule_of, names)))
    if not _FEWEST <= len(submodules) <= _MOST:
        return None
    candidates = [
        submodule
        for submodule in submodules
        if all(_right_without(student, right, submodule_of, request, submodule) for request in failing)
    ]
    wrong = _wrong_results(student, right, failing[0])
    counting = [
        submodule
        for submodule in candidates
        if _others_count(right, submodule_of, failing[0], submodule, submodules, wrong)
    ]
    faulty = counting if len(counting) == 1 else list({_outermost(submodule) for submodule in counting})
    if len(faulty) != 1:
        return None
    return (
        f"a mistake in what is done with {faulty[0]}",
        f"If all numbers of {faulty[0]} are 0, your result is right, and otherwise it is not. Look at the input of {faulty[0]}, "
        "and at how its output is used.",
    )


def _submodule(name: str) -> str:
    return name.rpartition(".")[0] or name


def _outermost(name: str) -> str:
    return name.partition(".")[0]


def _wrong(student: Student, right: Student, request: Request) -> bool:
    expected = result_of(right, request)
    return not isinstance(expected, CheckFailure) and not same_outcome(result_of(student, request), expected)


def _right_without(
    student: Student, right: Student, submodule_of: SubmoduleOf, request: Request, submodule: str
) -> bool:
    """Return whether the student's result is right if this submodule is zeroed, also with other weights elsewhere."""
    empty = _with(request, submodule_of, {submodule: torch.zeros_like})
    rest = {submodule_of(name) for name in request.weights or ()} - {submodule}
    both = (empty, _with(empty, submodule_of, dict.fromkeys(rest, resample)))
    return not isinstance(result_of(right, empty), CheckFailure) and not any(
        _wrong(student, right, variant) for variant in both
    )


def _wrong_results(student: Student, right: Student, request: Request) -> list[int]:
    """Return the indices of the wrong tensors in the result; all indices if the number of tensors is wrong."""
    actual, expected = (tensors_of(result_of(answerer, request)) for answerer in (student, right))
    if len(actual) != len(expected):
        return list(range(len(expected)))
    return [n for n in range(len(expected)) if not same_outcome(actual[n], expected[n])]


def _others_count(
    right: Student,
    submodule_of: SubmoduleOf,
    request: Request,
    submodule: str,
    submodules: Sequence[str],
    indices: Sequence[int],
) -> bool:
    """Return whether the right results at these ``indices``, with ``submodule`` zeroed, change with half of the others."""
    empty = _with(request, submodule_of, {submodule: torch.zeros_like})
    other_submodules = [other_submodule for other_submodule in submodules if other_submodule != submodule]

    def results(changed: Request) -> list[Tensor]:
        tensors = tensors_of(result_of(right, changed))
        return [tensors[n] for n in indices if n < len(tensors)]

    before = results(empty)
    moved = sum(
        not same_outcome(results(_with(empty, submodule_of, {other_submodule: resample})), before)
        for other_submodule in other_submodules
    )
    return 2 * moved >= len(other_submodules)


def _with(request: Request, submodule_of: SubmoduleOf, changed: Mapping[str, Any]) -> Request:
    """Return the request with other weights in these submodules."""
    weights: dict[str, Tensor] = {
        name: changed[submodule_of(name)](x) if submodule_of(name) in changed else x
        for name, x in (request.weights or {}).items()
    }
    return replace(request, weights=weights)


#: Diagnoses an answer from additional requests.
Look = Callable[[Student, Student, Sequence[Request]], Symptom | None]

#: Number of requests that are changed.
_REQUESTS = 4
#: If more arguments are ignored, it is a different function, not an oversight.
_MOST_IGNORED = 2


#: Kinds of failures whose requests are probed.
_PROBED = ("value", "shape")


def row_sensitivity(
    failed: Sequence[FailedCheck],
    student: Student,
    right: Student,
    functions: Mapping[str, Any],
    requests_for: Callable[[str], Sequence[Request]],
    fallback: Look | None = None,
) -> list[Diagnosis | None]:
    """Diagnose the first wrong value or shape by changing the failed request and further ones.

    ``functions`` are right answers, for the names of their parameters. ``requests_for`` returns requests for a named function.
    ``fallback`` is called if nothing is found.
    """
    wrong = [
        (n, failed_check.exchange.request)
        for n, failed_check in enumerate(failed)
        if failed_check.exchange and failed_check.failure.kind in _PROBED
    ]
    diagnoses: list[Diagnosis | None] = [None] * len(failed)
    if wrong:
        name = wrong[0][1].name
        failed_requests, other_requests = [request for _, request in wrong if request.name == name], requests_for(name)
        requests = [failed_requests[0], *other_requests[-1:], *failed_requests[1:2], *other_requests[:1]]
        symptom = probe(student, right, functions[name], requests, fallback, other_requests)
        diagnoses[wrong[0][0]] = Diagnosis(*symptom) if symptom else None
    return diagnoses


def probe(
    student: Student,
    right: Student,
    function: Any,
    requests: Iterable[Request],
    fallback: Look | None = None,
    other_requests: Iterable[Request] = (),
) -> Symptom | None:
    """Diagnose an answer by changing the first few usable requests for one function.

    A tensor counts as ignored only if it is ignored in the ``other_requests`` too.
    """
    usable = list(itertools.islice(_usable(student, right, requests), _REQUESTS))
    ignored = _ignored(student, right, function, usable)
    if ignored and any(
        _matters(ignored, student, right, function, request) for request in _usable(student, right, other_requests)
    ):
        ignored = None
    symptom = (
        ignored
        or batch_leakage(student, right, usable)
        or _reach(student, right, function, usable)
        or (fallback(student, right, usable) if fallback else None)
    )
    # Where a result changes by itself, nothing follows from a change. So as to keep probes fast, this is tested only now.
    changes_by_itself = symptom and any(
        not same_outcome(result_of(student, request), result_of(student, request)) for request in usable
    )
    return None if changes_by_itself else symptom


def _usable(student: Student, right: Student, requests: Iterable[Request]) -> Iterator[Request]:
    """Yield the requests that have a result, each reduced to one call without gradients."""
    plain = (replace(request, cotangents=None, deep=False, times=1, before=()) for request in requests)
    return (request for request in plain if _works(right, request) and _works(student, request))


def _works(student: Student, request: Request) -> bool:
    """Return whether a request has a result, in training mode the same one twice."""
    value = result_of(student, request)
    return not isinstance(value, CheckFailure) and (
        not request.training or same_outcome(value, result_of(student, request))
    )


def _ignored(student: Student, right: Student, function: Any, requests: Sequence[Request]) -> Symptom | None:
    """Find an argument or a parameter that repeatedly has no effect although it changes a right answer."""
    used, without_effect, enough = set(), list[Symptom](), dict[Symptom, int]()
    results = [(request, (result_of(student, request), result_of(right, request))) for request in requests]
    pairs = [(request, before) for request, before in results if not _is_empty(before[0])]
    wrong_builds = [str(request.build) for request, before in pairs if not same_outcome(*before)]
    for request, before in pairs:
        other_kind = same_outcome(*before) and str(request.build) not in wrong_builds
        for symptom, enough[symptom], changed_request in changes(request, function):
            expected = result_of(right, changed_request)
            if isinstance(expected, CheckFailure) or same_outcome(expected, before[1]):
                continue
            if same_outcome(result_of(student, changed_request), before[0]):
                without_effect.append(symptom)
            elif not (other_kind and changed_request.weights is not request.weights):
                # A right variant of the module (norm="post") may use a submodule that a wrong one forgets.
                used.add(symptom)
    ignored = [
        symptom
        for symptom, times in Counter(without_effect).items()
        if symptom not in used and times >= enough[symptom]
    ]
    return ignored[0] if used and 0 < len(ignored) <= _MOST_IGNORED else None


def _is_empty(value: Any) -> bool:
    """Return whether a result has tensors, but no numbers in any of them: no input could make a difference."""
    tensors = tensors_of(value)
    return bool(tensors) and not any(x.numel() for x in tensors)


def _matters(ignored: Symptom, student: Student, right: Student, function: Any, request: Request) -> bool:
    """Return whether a tensor that seemed to be ignored changes both the student's result and the right one in this request.

    Only tensors count: numbers have exceptional values, such as a temperature of 0.
    """
    return any(
        all(
            not same_outcome(result_of(answerer, changed_request), result_of(answerer, request))
            for answerer in (student, right)
        )
        for symptom, _, changed_request in changes(request, function)
        if symptom == ignored and _other_tensor(request, changed_request)
    )


def _other_tensor(request: Request, changed_request: Request) -> bool:
    """Return whether the changed request has a different tensor as one of its arguments."""
    tensors = tensors_in(request)
    return any(x is not tensors.get(place) for place, x in tensors_in(changed_request).items())


#: Keys: whether a row changes with (a later row, an earlier row) of an argument, in the right result and in the student's.
_REACHES = {
    ((False, True), (True, True)): (
        "looks ahead",
        "If only the last row of {argument} changes, earlier rows of your result change too, and they should not.",
    ),
    ((True, True), (False, True)): (
        "later rows never seen",
        "If only the last row of {argument} changes, the earlier rows of your result stay the same: later rows of {argument} are "
        "hidden, and they should not be.",
    ),
    ((True, True), (False, False)): (
        "every row for itself",
        "A row of your result depends on the same row of {argument} alone. Each should depend on all of them.",
    ),
    ((False, False), (True, True)): (
        "rows mixed",
        "A row of your result depends on other rows of {argument} too. Each should depend only on its own. Look for a sum, a "
        "mean or a softmax along the wrong axis.",
    ),
}


def _reach(student: Student, right: Student, function: Any, requests: Sequence[Request]) -> Symptom | None:
    """Detect rows of the result that depend on the wrong rows of an argument."""
    kinds_by_place: dict[int | str, set[Any]] = {}
    for request in requests:
        for place, x in tensors_in(request).items():
            if x.dim() >= 2 and x.dtype != torch.bool:
                reaches = [_reach_of(answerer, request, place, x) for answerer in (right, student)]
                kinds_by_place.setdefault(place, set()).add(None if None in reaches else tuple(reaches))
    all_kinds = set[Any]().union(*kinds_by_place.values())
    for place, kind in ((place, next(iter(kinds))) for place, kinds in kinds_by_place.items() if len(kinds) == 1):
        # Rows that one argument does not reach, another may: attention to a single key depends on its value alone.
        alone = kind and (
            kind[0] != (True, True)
            or all(other_kind == kind for other_kind in all_kinds if other_kind and other_kind[0] == kind[0])
        )
        if alone and kind in _REACHES:
            title, hint = _REACHES[kind]
            return title, hint.format(argument=_argument_at(place, function, requests[0]))
    return None


def _argument_at(place: int | str, function: Any, request: Request) -> str:
    """Return the name of an argument formatted as code, or "the input" if it is the only one with rows."""
    called = function.forward if request.build is not None else function
    names = [parameter.name for parameter in _parameters(called) if parameter.name != "self"]
    rows = [key for key, x in tensors_in(request).items() if x.dim() >= 2 and x.dtype != torch.bool]
    if rows == [place] or (isinstance(place, int) and place >= len(names)):
        return "the input"
    return f"`{place if isinstance(place, str) else names[place]}`"


def _reach_of(student: Student, request: Request, place: int | str, x: Tensor) -> tuple[bool, bool] | None:
    """Return whether the first row changes with the last one and the last with the first, as a pair; None without both rows."""
    axis, before = (x.dim() - 2 if x.is_floating_point() else 1), tensors_of(result_of(student, request))
    if x.shape[axis] < 3 or not before or before[0].dim() <= axis or before[0].shape[:axis] != x.shape[:axis]:
        return None
    reaches, rows = [], before[0].shape[axis]
    for changed, watched in ((x.shape[axis] - 1, 0), (0, rows - 1)):
        results = []
        for resampled in resample_rows(x):
            perturbed = x.clone()
            perturbed.select(axis, changed).copy_(resampled.select(axis, changed))
            results.append(tensors_of(result_of(student, replace_tensors(request, {place: perturbed}))))
        if rows < 2 or any(not after or after[0].shape != before[0].shape for after in results):
            return None
        watched_before = before[0].select(axis, watched)
        reaches.append(any(not same_outcome(watched_before, after[0].select(axis, watched)) for after in results))
    return reaches[0], reaches[1]
