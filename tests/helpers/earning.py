"""What an answer made of something ready-made earns in the checks of an exercise."""

import functools
import itertools

import torch
from adapters import AFTER, BEFORE, Call, arguments, left_out, result
from finder import probes, reproducing
from recorded import SEED, checks_of, right_names
from torch import Tensor, nn

from autograder.checks.execute import NotebookStudent, call_check, suppress_output
from autograder.content.lesson import mark_value
from autograder.runtime.blocked.calls import dispatch_guard
from autograder.runtime.errors import CheckFailure

#: What an exercise's points are not given for. A way in which one of these gives the right values does the work itself.
TRIVIAL = {
    "the first argument": lambda *args, **kwargs: args[0],
    "zeros": lambda *args, **kwargs: torch.zeros_like(args[0]),
    "ones": lambda *args, **kwargs: torch.ones_like(args[0]),
    "identity": nn.Identity,
}


def used_as(thing, way, right):
    """Return the answer that uses the thing in this way: a function, or a class with the right answer's parameters."""

    def computed(call, whole):
        changed = BEFORE[way.before](call)
        value = result(thing, arguments(way.pattern, changed, isinstance(thing, type)), changed)
        value = value if way.pick is None else value[way.pick]
        if isinstance(value, Tensor):
            wanted = whole() if way.after or way.part is not None else None
            target = wanted if way.part is None else wanted[way.part]
            value = AFTER[way.after](value, () if target is None else tuple(target.shape), changed)
        return value if way.part is None else with_part(wanted, way.part, value)

    return answer(right, computed)


def with_part(whole, part, value):
    return tuple(value if i == part else item for i, item in enumerate(whole))


def answer(right, computed):
    """Return a function or a class that answers as ``computed`` does from the call and the right answer to it."""
    if not isinstance(right, type):
        return lambda *args, **kwargs: computed(
            Call(args, kwargs, defaults=left_out(right, args, kwargs)), lambda: right(*args, **kwargs)
        )

    class Answer(right):
        def __init__(self, *build):
            super().__init__(*build)
            self.__dict__["build"] = build

        def forward(self, *args, **kwargs):
            own = dict(self.named_parameters())
            call = Call(args, kwargs, self.build, tuple(own.values()), tuple(own))
            return computed(call, lambda: super(Answer, self).forward(*args, **kwargs))

    return Answer


def failures(lesson, exercise, given, names=None, allow=False):
    """Return the failure of each check, None where it passes. With ``allow`` nothing is forbidden."""
    held = right_names(lesson, exercise) | {exercise: given}
    student = NotebookStudent(held, lesson, deep=False)
    if allow:
        student._forbidden = lambda name: ()
    checks = checks_of(lesson, exercise)
    return {name: call_check(checks[name], student, SEED) for name in names or checks}


@functools.cache
def value_checks(lesson, exercise, part):
    """Return the checks that no answer of the right shape with wrong values passes."""
    right, passed = right_names(lesson, exercise)[exercise], set()
    for wrong in (_mirrored, _nothing, _noise):

        def computed(call, whole, wrong=wrong):
            value = whole()
            return _deep(wrong, value) if part is None else with_part(value, part, wrong(value[part]))

        found = failures(lesson, exercise, answer(right, computed), allow=True)
        passed |= {name for name, failure in found.items() if failure is None}
    return tuple(name for name in checks_of(lesson, exercise) if name not in passed)


def _deep(change, value):
    if isinstance(value, tuple | list):
        return type(value)(_deep(change, item) for item in value) if type(value) in (tuple, list) else value
    return change(value) if isinstance(value, Tensor) else value + 1 if isinstance(value, int | float) else value


def _mirrored(value):
    return ~value if value.dtype == torch.bool else 2 * value + 1


def _nothing(value):
    return value * 0


def _noise(value):
    noise = torch.sin(torch.arange(value.numel(), dtype=torch.float64) ** 2).view(value.shape)
    return noise > 0 if value.dtype == torch.bool else (noise.to(value.dtype) + 0 * value)


def earned(lesson, exercise, thing, way, allow=False):
    """Return the points of the checks of values that the thing earns, used in this way; 0 if it is caught."""
    given = used_as(thing, way, right_names(lesson, exercise)[exercise])
    names = value_checks(lesson, exercise, way.part)
    found = failures(lesson, exercise, given, names, allow)
    if any(failure is not None and failure.kind == "forbidden" for failure in found.values()):
        return 0.0
    checks = checks_of(lesson, exercise)
    return sum(mark_value(checks[name], "points", 0) for name, failure in found.items() if failure is None)


def finds(lesson, exercise, candidates, most=1, thorough=False, allow=False):
    """Return what earns points for values, each with the way to use it and the points. With ``allow`` nothing is forbidden."""
    found = {}
    with suppress_output():
        for probe in probes(lesson, exercise, most):
            trivial = {way for ways in reproducing(TRIVIAL, probe).values() for way in ways}
            for name, ways in reproducing(candidates, probe, thorough).items():
                if name in found:
                    continue
                tried = (
                    (way, earned(lesson, exercise, candidates[name], way, allow)) for way in ways if way not in trivial
                )
                first = next((pair for pair in itertools.islice(tried, 4) if pair[1]), None)
                if first and (allow or not blocked_below(lesson, exercise, candidates[name], first[0], probe)):
                    found[name] = first
    return found


def blocked_below(lesson, exercise, thing, way, probe):
    """Return whether the sandbox refuses an operator that this ends in."""
    call = BEFORE[way.before](probe.call)
    given = arguments(way.pattern, call, isinstance(thing, type))
    try:
        dispatch_guard(lambda: result(thing, given, call), lesson.forbidden_in(exercise))
    except Exception as error:
        return isinstance(error, CheckFailure)
    return False
