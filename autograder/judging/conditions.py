"""For which arguments a wrong answer is wrong: "only with norm='pre'" tells a reader which half of the code to look at."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from autograder.judging.changes import Symptom
from autograder.judging.confirmation import alike, outcome
from autograder.judging.failure import CheckFailure
from autograder.judging.student import Request, Student

#: As many calls have to be right, and as many wrong, before anything is said of what they have in common.
_FEWEST = 3
#: More are not tried.
MOST = 40


def condition(student: Student, right: Student, function: Any, requests: Sequence[Request]) -> Symptom | None:
    """Return the one value of one argument with which all wrong answers to these requests were given, and no right one."""
    wrong, fine = list[dict[str, str]](), list[dict[str, str]]()
    for request in requests[:MOST]:
        plain = replace(request, cotangents=None, deep=False, times=1, before=(), training=False)
        want = outcome(right, plain)
        if not isinstance(want, CheckFailure):
            (fine if alike(outcome(student, plain), want) else wrong).append(dict(_told(plain, function)))
    if len(wrong) < _FEWEST or len(fine) < _FEWEST:
        return None
    common = [(name, value) for name, value in wrong[0].items() if all(each.get(name) == value for each in wrong)]
    found = [(name, value) for name, value in common if all(each.get(name, value) != value for each in fine)]
    if len(found) != 1:
        return None
    [(name, value)] = found
    others = sorted({each[name] for each in fine})
    return (
        f"wrong only with {_said(name, value)}",
        f"{len(fine)} other calls, with {' or '.join(_said(name, other) for other in others)}, gave the right numbers, and all "
        f"{len(wrong)} with {_said(name, value)} gave wrong ones. Look at what your code does only then.",
    )


def _said(name: str, value: str) -> str:
    return f"{name} given" if value == _GIVEN else f"{name}={value}"


_GIVEN = "a tensor"


def _told(request: Request, function: Any) -> Iterator[tuple[str, str]]:
    """Yield the arguments of a request that are words, flags or left out, by name."""
    if request.build is not None:
        yield from _values(function.__init__, request.build, {})
        yield from _values(function.forward, request.args, request.kwargs)
    else:
        yield from _values(function, request.args, request.kwargs)


def _values(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    parameters = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
    for place, parameter in enumerate(parameters):
        value = args[place] if place < len(args) else kwargs.get(parameter.name, parameter.default)
        if isinstance(value, Tensor):
            yield parameter.name, _GIVEN
        elif value is None or isinstance(value, bool | str):
            yield parameter.name, repr(value)
