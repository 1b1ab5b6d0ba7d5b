"""Checks of a module's parameters: their names and shapes, with the likely mistake if these differ."""

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.runtime.errors import CheckFailure
from autograder.runtime.state import matching
from autograder.runtime.student import Constructed, Request, Student


def has_parameters(student: Student, name: str, build: tuple, want: Mapping[str, Tensor]) -> None:
    """Fail unless the module has exactly these parameters, by name and shape."""
    parameters = student.build(name, *build).parameters()
    expected_names = {key: key for key in parameters} | {
        key: expected_name for expected_name in want for key in matching(expected_name, parameters)
    }
    actual: dict[str, tuple] = {}
    for key, value in parameters.items():
        expected_name = expected_names[key] if expected_names[key] not in actual else key
        lazy = not value.numel() and expected_name in want  # the first inputs determine its shape
        actual[expected_name] = tuple(want[expected_name].shape if lazy else value.shape)
    missing = {key: value for key, value in want.items() if key not in actual}
    parameters_are(
        actual,
        {key: tuple(value.shape) for key, value in want.items()},
        f"{name}({', '.join(_written(argument) for argument in build)})",
        kept=_kept_as(student, Request(name, build=build, times=0), missing) if missing else None,
    )


#: How the module holds a parameter that is not listed.
_SHARED, _BUFFER = "shared", "buffer"


def _kept_as(student: Student, request: Request, missing: Mapping[str, Tensor]) -> str | None:
    """Return how the module holds the missing parameters: as aliases of listed ones, or as buffers; None if as neither.

    A value written to an alias appears in a listed parameter; one written to a buffer is accepted and appears in none.
    """
    mark = 7.25  # no initial parameter has this value
    weights = {key: torch.full_like(value, mark) for key, value in missing.items()}
    try:
        values = student.answer(replace(request, weights=weights)).parameters.values()
    except CheckFailure:
        return None
    marked = {tuple(value.shape) for value in values if value.numel() and bool((value == mark).all())}
    if not marked:
        return _BUFFER
    return _SHARED if all(tuple(value.shape) in marked for value in weights.values()) else None


def _written(argument: Any) -> str:
    return "config" if isinstance(argument, Constructed) else repr(argument)


def parameters_are(got: Mapping[str, tuple], want: Mapping[str, tuple], title: str, kept: str | None = None) -> None:
    """Compare names and shapes of parameters. ``kept`` says how the module holds the missing ones; see :func:`_kept_as`."""
    if dict(got) == dict(want):
        return
    differing = [key for key in want if got.get(key) != want[key]] + [key for key in got if key not in want]
    raise CheckFailure(
        "parameters",
        f"{title} does not have the expected parameters.",
        expected=_listed(want, differing) or "none besides",
        yours=_listed(got, differing) or "none of these",
        received=sorted(got.items()),
        **_CAUSES[kept](got, want),
    )


def field_taken_for_another(
    got: Mapping[str, tuple], fields: Mapping[str, Any], shapes: Callable[[Mapping[str, Any]], Mapping[str, tuple]]
) -> CheckFailure | None:
    """Return a failure if the parameters have the sizes of a config in which one field has the number of another; else None.

    ``shapes`` returns the right parameters for a config with these ``fields``.
    """
    numbers = {name: value for name, value in fields.items() if type(value) is int}
    pairs = []
    for name, other_name in itertools.permutations(numbers, 2):
        try:
            if numbers[name] != numbers[other_name] and shapes({**fields, name: numbers[other_name]}) == got:
                pairs.append((name, other_name))
        except (ValueError, AssertionError, RuntimeError):  # incompatible sizes
            continue
    if len(pairs) != 1:
        return None
    [(name, other_name)] = pairs
    return CheckFailure(
        "parameters",
        f"The sizes are not those of config: {other_name} is used in place of {name}.",
        expected=f"config.{name} = {numbers[name]}",
        yours=f"config.{other_name} = {numbers[other_name]}",
        received=f"{other_name} for {name}",
        cause=f"{other_name} in the place of {name}",
        hint=f"If config.{name} were as large as config.{other_name}, your parameters would be right. Look at which fields "
        "of config are read.",
    )


def _listed(shapes: Mapping[str, tuple], chosen: Sequence[str]) -> str:
    entries = [f"{name} {shapes[name]}" for name in chosen if name in shapes]
    return ", ".join(entries[:6]) + (", …" if len(entries) > 6 else "")


def _shared_cause(actual: Mapping[str, tuple], expected: Mapping[str, tuple]) -> dict[str, str]:
    missing = [name for name in expected if name not in actual]
    lists = _beyond(missing, actual)
    if lists:
        return {
            "cause": f"one layer many times in {lists[0]}",
            "hint": f"The list {lists[0]} has the right length, but holds the same layer again and again, with one "
            "set of weights for all places. [layer] * n does that. Look at how many layers are created.",
        }
    return {
        "cause": "one layer under several names",
        "hint": f"Missing, because the module has the same weights under another name: {', '.join(missing[:4])}. a = "
        "b = layer is one layer, and so is a layer passed to two parts. Look at where each one is created.",
    }


def _buffer_cause(actual: Mapping[str, tuple], expected: Mapping[str, tuple]) -> dict[str, str]:
    missing = [name for name in expected if name not in actual]
    are = "is a buffer" if len(missing) == 1 else "are buffers"
    return {
        "cause": "a buffer in the place of a parameter",
        "hint": f"{', '.join(missing[:4])} {are}: saved and moved with the module, but not trained by an optimiser. "
        "nn.Parameter makes a parameter.",
    }


def _parameter_cause(actual: Mapping[str, tuple], expected: Mapping[str, tuple]) -> dict[str, str]:
    missing, extra = [n for n in expected if n not in actual], [n for n in actual if n not in expected]
    if extra and all(name.endswith("bias") for name in extra) and not missing:
        return {
            "cause": "bias not switched off",
            "hint": "nn.Linear has a bias unless told otherwise; here there should be none.",
        }
    if missing and all(name.endswith("bias") for name in missing) and not extra:
        return {
            "cause": "bias missing",
            "hint": "The linear maps here have a bias, as nn.Linear has one unless told otherwise.",
        }
    renamed = _renamed(actual, expected, missing, extra)
    if renamed:
        return _renamed_cause(renamed)
    for names, counterpart, few in ((missing, actual, "few"), (extra, expected, "many")):
        if lists := _beyond(names, counterpart):
            return {
                "cause": f"too {few} layers in {lists[0]}",
                "hint": f"The numbers after {lists[0]} count its layers, from 0. Look at how many are made, and of which kind.",
            }
    if kind := _other_kind(missing, extra):
        holder, missing_parts, extra_parts = kind
        return {
            "cause": f"a layer of another class in {holder}",
            "hint": f"Each layer in {holder} has the part{'s' * (len(extra_parts) > 1)} {', '.join(extra_parts)}, and should "
            f"have {', '.join(missing_parts)}. Look at which class the layers are made from.",
        }
    if missing and (extra_parts := _all_others(missing, extra)):
        return {
            "cause": "weights under other names",
            "hint": f"Your parts are called {', '.join(extra_parts[:5])}, and should be called {', '.join(_parts(missing)[:5])}: "
            "weights are loaded by name. Not all have the expected shape, either: keep the arguments of __init__, and "
            "their order, too.",
        }
    if missing:
        return {"cause": "weights not registered, or shared", "hint": _not_registered(missing)}
    if extra:
        return {"cause": "extra parameters", "hint": f"Not asked for here: {', '.join(extra[:4])}."}
    return {
        "cause": "weights of the wrong shape",
        "hint": _one_length(actual, expected)
        or "nn.Linear(a, b) maps vectors of width a to vectors of width b, and keeps its weight as (b, a).",
    }


def _all_others(missing: Sequence[str], extra: Sequence[str]) -> list[str]:
    """Return the additional parts if they match the missing ones in number, weights and biases; otherwise none."""
    alike = sorted(name.rpartition(".")[2] for name in missing) == sorted(name.rpartition(".")[2] for name in extra)
    parts = _parts(extra)
    return parts if alike and len(parts) == len(_parts(missing)) > 1 and not {*parts} & {*_parts(missing)} else []


def _parts(names: Sequence[str]) -> list[str]:
    """Return the parts of a module that own parameters of these names, in order."""
    return list(dict.fromkeys(name.partition(".")[0] for name in names))


def _one_length(actual: Mapping[str, tuple], expected: Mapping[str, tuple]) -> str:
    """Return a hint if the same number replaces another in every shape that differs; otherwise the empty string."""
    if any(len(actual[name]) != len(expected[name]) for name in expected):
        return ""
    pairs = {pair for name in expected for pair in zip(expected[name], actual[name], strict=True) if pair[0] != pair[1]}
    if len(pairs) != 1:
        return ""
    [(right, wrong)] = pairs
    return (
        f"One length is {wrong} where it should be {right}, the others are right. Look at how this number is computed."
    )


def _renamed_cause(renamed: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return cause and hint for renamed parameters, given as (name, expected name)."""
    listed = "; ".join(f"{actual_name} should be called {expected_name}" for actual_name, expected_name in renamed[:3])
    if all(actual_name.lower() == expected_name.lower() for actual_name, expected_name in renamed):
        return {"cause": "capital letters exchanged in a name", "hint": f"{listed}: capital letters count."}
    hint = f"{listed}. Names are part of the exercise: weights are loaded by name."
    return {"cause": "weights under other names", "hint": hint}


def _not_registered(missing: Sequence[str]) -> str:
    """Return the hint for parameters that the module does not register: those of a layer, or its own."""
    if any("." in name for name in missing):
        why = (
            "A layer belongs to the module when it is assigned to an attribute, self.W_Q = ..., or in an "
            "nn.ModuleList; not when it is kept in a plain list or created in forward. One layer under two names is "
            "one layer."
        )
    else:
        why = (
            "A tensor is a parameter of the module when it is an nn.Parameter and assigned to an attribute, "
            "self.gamma = ...; not when it is a plain tensor, kept in a plain list, or created in forward."
        )
    return f"Missing: {', '.join(missing[:4])}. {why}"


def _beyond(names: Sequence[str], counterpart: Mapping[str, tuple]) -> list[str]:
    """Return the lists of layers (``decoder.blocks``) with later layers in ``names`` and the first in ``counterpart``; or []."""
    matches = [re.match(r"(.+?)\.(\d+)\.", name) for name in names]
    lists = list(dict.fromkeys(match[1] for match in matches if match and int(match[2]) > 0))
    first = [name for name in lists if any(key.startswith(f"{name}.0.") for key in counterpart)]
    return first if matches and all(match and match[1] in first and int(match[2]) for match in matches) else []


def _other_kind(missing: Sequence[str], extra: Sequence[str]) -> tuple[str, list[str], list[str]] | None:
    """Return (holder, missing parts, additional parts) if all these weights are in the layers of one list; else None."""
    inner = [re.match(r"(.+?)\.\d+\.(\w+)\.", name) for name in (*missing, *extra)]
    places = [(match[1], match[2]) for match in inner if match]
    if not missing or not extra or len(places) < len(inner) or len({holder for holder, _ in places}) > 1:
        return None
    missing_parts = list(dict.fromkeys(part for _, part in places[: len(missing)]))
    extra_parts = list(dict.fromkeys(part for _, part in places[len(missing) :]))
    return None if set(missing_parts) & set(extra_parts) else (places[0][0], missing_parts[:4], extra_parts[:4])


def _renamed(
    actual: Mapping[str, tuple], expected: Mapping[str, tuple], missing: Sequence[str], extra: Sequence[str]
) -> list[tuple[str, str]]:
    """Pair each additional weight with a missing one of its shape, as (name, expected name); empty unless all match."""
    unpaired, pairs = list(extra), []
    for expected_name in missing:
        same = [name for name in unpaired if actual[name] == expected[expected_name]]
        close = sorted(same, key=lambda name: (name.lower() != expected_name.lower(), unpaired.index(name)))
        if not close:
            return []
        pairs.append((close[0], expected_name))
        unpaired.remove(close[0])
    return [] if unpaired else pairs


_CAUSES = {None: _parameter_cause, _SHARED: _shared_cause, _BUFFER: _buffer_cause}
