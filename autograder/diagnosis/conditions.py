"""Describe when an unexplained wrong answer fails.

"Wrong only with norm='pre'" tells a reader which half of the code to look at.
"""

import inspect
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.diagnosis.patterns import Symptom
from autograder.diagnosis.search import result_of, same_outcome
from autograder.diagnosis.symptoms import FACTOR
from autograder.runtime.errors import CheckFailure
from autograder.runtime.state import tensors_of
from autograder.runtime.student import Request, Student

#: Minimum number of right and of wrong calls needed to infer a condition.
_FEWEST = 3
#: Limits on the calls that are tried: their number, and seconds.
MOST, _SECONDS = 40, 5.0


#: A request, with the right outcome and the student's.
Outcome = tuple[Request, Any, Any]


def condition(student: Student, right: Student, function: Any, requests: Sequence[Request]) -> Symptom | None:
    """Describe when an unexplained wrong answer fails: for which arguments, or in which of its results."""
    outcomes = list(_outcomes(student, right, requests[:MOST]))
    wrong, right_ones = (
        [outcome for outcome in outcomes if not same_outcome(*outcome[1:])],
        [outcome for outcome in outcomes if same_outcome(*outcome[1:])],
    )
    if len(wrong) < _FEWEST:
        return None
    return (
        _only_with(wrong, right_ones, function)
        or _one_factor(outcomes)
        or _only_some_results(wrong)
        or _one_sided(wrong)
    )


def _outcomes(student: Student, right: Student, requests: Sequence[Request]) -> Iterator[Outcome]:
    """Yield the outcomes of these requests; of fewer if the answer is slow, to leave time for the other exercises.

    Checks of device independence send tensors without numbers, whose results are neither right nor wrong.
    """
    begun = 0.0
    for number, request in enumerate(requests):
        if number == 1:  # the first call may load files, only once
            begun = time.monotonic()
        if number and time.monotonic() - begun > _SECONDS:
            return
        plain = replace(request, cotangents=None, deep=False, times=1, before=(), training=False)
        expected = result_of(right, plain)
        if isinstance(expected, CheckFailure):
            continue
        actual = result_of(student, plain)
        if not any(x.is_meta for x in (*tensors_of(expected), *tensors_of(actual))):
            yield plain, expected, actual


def _only_with(wrong: Sequence[Outcome], fine: Sequence[Outcome], function: Any) -> Symptom | None:
    """Find the one value of an argument, or else the one axis length, shared by all wrong calls and by no right call."""
    if len(fine) < _FEWEST:
        return None
    for describe in (_arguments, _lengths):
        wrong_values, fine_values = (
            [dict(describe(outcome[0], function)) for outcome in outcomes] for outcomes in (wrong, fine)
        )
        common = [
            pair for pair in wrong_values[0].items() if all(values.get(pair[0]) == pair[1] for values in wrong_values)
        ]
        conditions = [
            (name, value) for name, value in common if all(values.get(name, value) != value for values in fine_values)
        ]
        if len(conditions) == 1:
            [(name, value)] = conditions
            other_clauses = " or ".join(
                _clause(name, other_value) for other_value in sorted({values[name] for values in fine_values})
            )
            return (
                f"wrong only with {_clause(name, value)}",
                f"Your numbers are right in {len(fine)} calls with {other_clauses}, and wrong in all {len(wrong)} with "
                f"{_clause(name, value)}. Look at the code that matters only in that case.",
            )
    return None


def _only_some_results(wrong: Sequence[Outcome]) -> Symptom | None:
    """Find the results, out of several, that are right in every call."""
    pairs = [(tensors_of(expected), tensors_of(actual)) for _, expected, actual in wrong]
    count = len(pairs[0][0])
    if count < 2 or any(len(expected) != count or len(actual) != count for expected, actual in pairs):
        return None
    right = [n for n in range(count) if all(same_outcome(expected[n], actual[n]) for expected, actual in pairs)]
    if not right or len(right) == count:
        return None
    names = [_ORDINALS[n] for n in right if n < len(_ORDINALS)]
    return (
        f"only the {' and '.join(names)} result is right"
        if len(names) == 1
        else f"the {' and '.join(names)} results are right",
        f"In {len(wrong)} calls the {' and '.join(names)} result was right and another one was not. Look at the lines "
        "on which only a wrong one depends.",
    )


_ORDINALS = ("first", "second", "third", "fourth")


def _one_factor(outcomes: Sequence[Outcome]) -> Symptom | None:
    """Detect numbers that in all calls, even right ones, are the expected numbers times the same factor."""
    ratios = []
    for _, expected, actual in outcomes:
        expected_numbers, actual_numbers = _numbers(expected), _numbers(actual)
        if [x.shape for x in expected_numbers] != [x.shape for x in actual_numbers]:
            return None
        if any(
            bool((b.abs() > 1e-6)[a.abs() <= 1e-6].any()) for a, b in zip(expected_numbers, actual_numbers, strict=True)
        ):
            return None  # 0 times any factor is 0
        ratios += [(b / a)[a.abs() > 1e-6] for a, b in zip(expected_numbers, actual_numbers, strict=True)]
    all_ratios = torch.cat(ratios) if ratios else torch.empty(0)
    if (
        len(all_ratios) < _FEWEST
        or not all_ratios.isfinite().all()
        or not torch.allclose(all_ratios, all_ratios[0], rtol=1e-6, atol=0)
    ):
        return None
    if abs(float(all_ratios[0]) - 1) < 1e-5:
        return None  # then something else is wrong, such as a type
    return FACTOR, f"In {len(outcomes)} calls every number is {all_ratios[0]:.4g} times what it should be."


def _one_sided(wrong: Sequence[Outcome]) -> Symptom | None:
    """Detect wrong numbers that are all too large or all too small."""
    signs = set()
    for _, expected, actual in wrong:
        for a, b in zip(_numbers(expected), _numbers(actual), strict=False):
            if a.shape != b.shape:
                return None
            difference = torch.where((a == b) | (a.isnan() & b.isnan()), 0.0, b - a)
            if not difference.isfinite().all():
                return None  # infinity and NaN have no size, and may come from any term left out or added
            signs |= set(difference[difference.abs() > 1e-6 * (1 + a.abs())].sign().tolist())
    if signs not in ({1.0}, {-1.0}):
        return None
    size, action, by = (
        ("large", "adds or leaves in", "little") if signs == {1.0} else ("small", "leaves out or takes away", "much")
    )
    return (
        f"always too {size}",
        f"Wherever your numbers differ from the expected ones, in {len(wrong)} calls, they are too {size}. Look for what your "
        f"code {action}, and, where it divides, whether that is by too {by}.",
    )


def _numbers(value: Any) -> list[Tensor]:
    if isinstance(value, bool):
        return []
    if isinstance(value, int | float):
        return [torch.tensor([float(value)], dtype=torch.float64)]
    return [x.detach().double() for x in tensors_of(value) if x.dtype != torch.bool and not x.is_complex()]


def _clause(name: str, value: str) -> str:
    if value in (_ONE, _MORE):
        return f"{name} {value}"
    return f"{name} given" if value == _TENSOR else f"{name}={value}"


_TENSOR, _ONE, _MORE = "a tensor", "of length 1", "longer than 1"


def _arguments(request: Request, function: Any) -> Iterator[tuple[str, str]]:
    """Yield (name, value) for the arguments of a request that are strings, flags or omitted."""
    for name, value in _values(request, function):
        if isinstance(value, Tensor):
            yield name, _TENSOR
        elif value is None or isinstance(value, bool | str):
            yield name, repr(value)


def _lengths(request: Request, function: Any) -> Iterator[tuple[str, str]]:
    """Yield the name of each axis of a request's tensors, and whether its length is 1."""
    for name, value in _values(request, function):
        for axis, length in enumerate(value.shape) if isinstance(value, Tensor) else ():
            yield f"axis {axis} of {name}", _ONE if length == 1 else _MORE


def _values(request: Request, function: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) for the arguments of a request, and for those of the module that it builds."""
    if request.build is not None:
        yield from _by_name(function.__init__, request.build, {})
        yield from _by_name(function.forward, request.args, request.kwargs)
    else:
        yield from _by_name(function, request.args, request.kwargs)


def _by_name(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    parameters = [
        parameter for parameter in inspect.signature(function).parameters.values() if parameter.name != "self"
    ]
    for place, parameter in enumerate(parameters):
        yield parameter.name, args[place] if place < len(args) else kwargs.get(parameter.name, parameter.default)
