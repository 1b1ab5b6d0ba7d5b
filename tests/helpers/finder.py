"""Which ready-made things earn an exercise's points when they are used as the answer, in one of the generic ways."""

from dataclasses import dataclass, replace

import torch
from adapters import AFTER, BEFORE, CONSTRUCTIONS, PATTERNS, PLAIN, Call, arguments, left_out, result
from recorded import exchanges, right_names
from torch import Tensor

from autograder.runtime.student import Constructed, SeededGenerator, StandIn

MOST = 1500  # elements of a probe's arguments and values, so that no candidate needs much time or memory


@dataclass(frozen=True)
class Way:
    """A way to use something ready-made: ``pick`` is the part of its result, ``part`` the part of the answer that it gives."""

    before: str
    pattern: str
    after: str
    pick: int | None
    part: int | None

    def __str__(self):
        said = [
            self.before,
            self.pattern,
            self.after and f"then {self.after}",
            self.part is not None and f"part {self.part}",
        ]
        return ", ".join(word for word in said if word)


@dataclass(frozen=True)
class Probe:
    call: Call
    value: object

    def targets(self):
        """Yield what a ready-made thing may give: the whole answer, or one of its parts."""
        yield None, self.value
        if isinstance(self.value, tuple) and all(isinstance(part, Tensor) for part in self.value):
            yield from enumerate(self.value)


def probes(lesson, exercise, most=2):
    """Return the questions whose answers say most, one for each set of arguments and each form ("pre", "post") of a module."""
    found = {}
    names = right_names(lesson, exercise)
    for one in exchanges(lesson, exercise):
        request = one.request
        if (
            one.value is None
            or (isinstance(one.value, Tensor) and one.value.is_meta)
            or not request.times
            or request.before
            or any(same(arg, one.value) for arg in request.args)
        ):
            continue
        forms = [option for option in request.build or () if isinstance(option, str)]
        kind = (len(request.args), *sorted(request.kwargs), *forms)
        if kind not in found or _said(request, one.value) > _said(*found[kind]):
            found[kind] = (request, one.value)
    asked = sorted(found.values(), key=lambda pair: len(pair[0].args) + len(pair[0].kwargs))
    return [Probe(call_of(request, names), value) for request, value in asked[:most]]


def _said(request, value):
    """Return how much a question says: the larger the better, up to the size that is small enough."""
    size = _size(request.args) + _size(value)
    return size if size <= MOST else -size


def call_of(request, names):
    def ready(value):
        if isinstance(value, tuple | list):
            return type(value)(map(ready, value))
        if isinstance(value, SeededGenerator):
            return torch.Generator().manual_seed(value.seed)
        if isinstance(value, StandIn):
            return value.make()
        if isinstance(value, Constructed):
            return names[value.name](**value.kwargs)
        return value.detach().clone() if isinstance(value, Tensor) else value

    kwargs = {key: ready(value) for key, value in request.kwargs.items()}
    weights = request.weights or {}
    args, right = ready(request.args), names.get(request.name)
    defaults = {} if isinstance(right, type) or right is None else left_out(right, args, kwargs)
    return Call(args, kwargs, ready(request.build or ()), ready(tuple(weights.values())), tuple(weights), defaults)


def _size(value):
    if isinstance(value, tuple | list):
        return sum(map(_size, value))
    return value.numel() if isinstance(value, Tensor) else 0


def reproducing(candidates, probe, thorough=False):
    """Return the ways in which each candidate gives the probe's values."""
    targets = [(part, want, want.numel() if isinstance(want, Tensor) else None) for part, want in probe.targets()]
    found = {}
    prepared = _Prepared(probe.call)
    for name, thing in candidates.items():
        few = name.startswith("course_lib.") and not thorough
        for before, pattern, call, given in prepared.ways(isinstance(thing, type), few):
            try:
                value = result(thing, given, call)
                ways = list(_matching(value, targets, call)) if value is not None else []
            except Exception:  # these are no arguments for it, or it returns tensors of another kind
                continue
            found.setdefault(name, []).extend(Way(before, pattern, *way) for way in ways)
        if prepared.written():  # it works in place
            prepared = _Prepared(probe.call)
    return {name: ways for name, ways in found.items() if ways}


class _Prepared:
    """The arguments that all ways make of a copy of a call."""

    def __init__(self, call):
        self.tensors = [x.clone() for x in call.tensors]
        tensors = iter(self.tensors)
        args = tuple(next(tensors) if isinstance(arg, Tensor) else arg for arg in call.args)
        call = replace(call, args=args)
        self.every = {is_class: _given(call, is_class) for is_class in (False, True)}
        self.plain = [one for one in self.every[False] if one[0] in ("", "projected") and one[1] in PLAIN]
        self.versions = self._versions()

    def ways(self, is_class, few):
        return self.plain if few and not is_class else self.every[is_class]

    def _versions(self):
        return sum(tensor._version for tensor in self.tensors)

    def written(self):
        return self._versions() != self.versions


def _given(call, is_class):
    """Return the different arguments that the ways give, each with the changed call."""
    found = {}
    for before, change in BEFORE.items():
        try:
            changed = change(call)
        except Exception:
            continue
        for pattern in CONSTRUCTIONS if is_class else PATTERNS:
            given = arguments(pattern, changed, is_class)
            if given is not None:
                found.setdefault(_key(given), (before, pattern, changed, given))
    return list(found.values())


def _key(value):
    if isinstance(value, tuple | list):
        return tuple(map(_key, value))
    if isinstance(value, dict):
        return tuple((key, _key(item)) for key, item in value.items())
    return (value.data_ptr(), value.shape, value.stride()) if isinstance(value, Tensor) else repr(value)


def _matching(value, targets, call):
    """Yield (after, pick, part) for what is equal to the whole answer or to a part of it."""
    picks = [(None, value)]
    if isinstance(value, tuple | list):
        picks += enumerate(value[:3])
    for pick, picked in picks:
        for part, want, size in targets:
            if not isinstance(picked, Tensor) or not isinstance(want, Tensor):
                if same(picked, want):
                    yield "", pick, part
            elif picked.numel() == size:
                yield from (
                    (after, pick, part) for after in AFTER if same(_changed(after, picked, want.shape, call), want)
                )


def _changed(after, value, shape, call):
    try:
        return AFTER[after](value, tuple(shape), call)
    except Exception:
        return None


def same(value, want):
    """Return whether a value is the wanted one, apart from rounding, its dtype, and a list in place of a tuple.

    A tensor without numbers is no value.
    """
    if isinstance(want, Tensor):
        if not isinstance(value, Tensor) or value.shape != want.shape or value.is_meta or want.is_meta:
            return False
        alike = (value.dtype == torch.bool) == (want.dtype == torch.bool)
        return alike and bool(torch.isclose(value.double(), want.double(), rtol=1e-5, atol=1e-6, equal_nan=True).all())
    if isinstance(want, tuple | list):
        return isinstance(value, tuple | list) and len(value) == len(want) and all(map(same, value, want))
    if isinstance(want, dict):
        return (
            isinstance(value, dict) and value.keys() == want.keys() and all(same(value[key], want[key]) for key in want)
        )
    return type(value) is type(want) and bool(value == want)
