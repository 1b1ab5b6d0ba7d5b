"""fold_layer_scale(state): a small checkpoint whose every tensor is random, with as many blocks as two-digit numbers need."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Request, Student, exercise, expect, loading, points, promises
from autograder.lessons.vit import references

NAME = "fold_layer_scale"
#: D, hidden width, blocks; the smallest first.
SIZES = ((2, 3, 1), (3, 7, 2), (5, 13, 3), (3, 5, 26))
#: Which linear map each scale belongs to.
LAST = {"layer_scale1": "attention.output.dense", "layer_scale2": "mlp.fc2"}


def checkpoint(draw: Draw, D: int, hidden: int, blocks: int, dtype: torch.dtype = torch.float64) -> dict[str, Tensor]:
    """Draw a checkpoint with the names of DINOv2 in any order; scales of either sign, none near 0 or 1."""
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.cls_token": (1, 1, D),
        "embeddings.position_embeddings": (1, 5, D),
        "layernorm.weight": (D,),
        "layernorm.bias": (D,),
    }
    for number in range(blocks):
        layer = f"encoder.layer.{number}"
        for part in (
            "attention.attention.query",
            "attention.attention.key",
            "attention.attention.value",
            LAST["layer_scale1"],
        ):
            shapes |= {f"{layer}.{part}.weight": (D, D), f"{layer}.{part}.bias": (D,)}
        shapes |= {f"{layer}.mlp.fc1.weight": (hidden, D), f"{layer}.mlp.fc1.bias": (hidden,)}
        shapes |= {f"{layer}.mlp.fc2.weight": (D, hidden), f"{layer}.mlp.fc2.bias": (D,)}
        for half in (1, 2):
            shapes |= {f"{layer}.norm{half}.weight": (D,), f"{layer}.norm{half}.bias": (D,)}
            shapes[f"{layer}.layer_scale{half}.lambda1"] = (D,)
    state = {name: draw.normal(*shape, dtype=dtype) for name, shape in shapes.items()}
    for name in state:
        if "layer_scale" in name:
            state[name] = state[name].sign() * (0.2 + 0.5 * state[name].abs())
    return loading.in_order(state, loading.another_order(state, draw))


def folded(student: Student, state: Mapping[str, Tensor], setting: str) -> dict[str, Any]:
    """Return the student's checkpoint, a dictionary."""
    found = student.fold_layer_scale(dict(state))
    if not isinstance(found, Mapping):
        raise CheckFailure(
            "type",
            "fold_layer_scale returns no dictionary.",
            setting=setting,
            expected="a dict of tensors",
            yours=expect.kind(found),
            received=expect.kind(found),
            cause="another type",
            hint="Return the new checkpoint: names, and a tensor for each.",
        )
    return dict(found)


def _names_are(found: Mapping[str, Any], want: Mapping[str, Tensor], setting: str) -> None:
    """The same names, in whatever order."""
    missing, more = sorted(set(want) - set(found)), sorted(set(found) - set(want))
    if missing or more:
        scale = bool(more) and all("layer_scale" in str(name) for name in more) and not missing
        raise CheckFailure(
            "names",
            f"The checkpoint {'lacks ' + missing[0] if missing else 'also has ' + str(more[0])}.",
            setting=setting,
            expected=f"{len(want)} tensors",
            yours=f"{len(found)} tensors",
            received=missing[:3] + more[:3],
            cause="layer scale kept" if scale else "tensors missing" if missing else "names that are not asked for",
            hint="All tensors but the scales are in the new checkpoint, under their old names.",
        )


def _tensors_are(
    found: Mapping[str, Any], state: Mapping[str, Tensor], names: list[str], setting: str, hint: str
) -> None:
    """Compare these tensors with what they should be."""
    want = references.fold_layer_scale(state)
    for name in names:
        got = expect.tensor(found.get(name), name)
        expect.shape(got, tuple(want[name].shape), name, "as before", setting)
        expect.allclose(got, want[name], name, size=float(want[name].abs().max()), setting=setting, message=hint)


def _setting(D: int, hidden: int, blocks: int) -> str:
    return f"{blocks} block{'s' * (blocks > 1)}, D = {D}, hidden width {hidden}"


def _scaled(state: Mapping[str, Tensor], kind: str) -> list[str]:
    return [name for name in state if name.endswith(tuple(f"{last}.{kind}" for last in LAST.values()))]


@exercise(NAME)
@points(1)
def check_names(student: Student, draw: Draw) -> None:
    """The new checkpoint has all tensors but the scales, and tensors to which no scale belongs are unchanged"""
    for sizes in SIZES:
        state = checkpoint(draw, *sizes)
        found = folded(student, state, _setting(*sizes))
        _names_are(found, references.fold_layer_scale(state), _setting(*sizes))
        others = [name for name in found if name not in (*_scaled(state, "weight"), *_scaled(state, "bias"))]
        _tensors_are(found, state, others, _setting(*sizes), "No scale belongs to this tensor.")


@exercise(NAME)
@points(3)
def check_weights(student: Student, draw: Draw) -> None:
    """In each block, the rows of attention.output.dense are multiplied by its first scale, those of mlp.fc2 by its second"""
    for sizes in SIZES:
        state = checkpoint(draw, *sizes)
        _tensors_are(folded(student, state, _setting(*sizes)), state, _scaled(state, "weight"), _setting(*sizes), "")


@exercise(NAME)
@points(2)
def check_biases(student: Student, draw: Draw) -> None:
    """In each block, the biases of these two layers are multiplied in the same way"""
    for sizes in SIZES:
        state = checkpoint(draw, *sizes)
        _tensors_are(folded(student, state, _setting(*sizes)), state, _scaled(state, "bias"), _setting(*sizes), "")


@exercise(NAME)
@points(1)
@promises
def check_again_and_float32(student: Student, draw: Draw) -> None:
    """A folded checkpoint comes back as it is, names may come in any order, the dtype is kept, and nothing is changed in place"""
    sizes = (5, 13, 3)
    state = checkpoint(draw, *sizes, dtype=torch.float32)
    answer = student.answer(Request(NAME, (dict(state),), before=[(checkpoint(draw, 3, 7, 2),)]))
    first = answer.value if isinstance(answer.value, Mapping) else folded(student, state, _setting(*sizes))
    names = [name for name in state if "layer_scale" not in name]
    _names_are(first, references.fold_layer_scale(state), f"{_setting(*sizes)}, float32")
    for name in names:
        expect.dtype(expect.tensor(first[name], name), torch.float32, name, _setting(*sizes))
    _tensors_are(first, state, names, f"{_setting(*sizes)}, float32", "")
    backwards = dict(reversed(state.items()))
    _tensors_are(
        folded(student, backwards, "names in reverse"), state, names, f"{_setting(*sizes)}, names in reverse", ""
    )
    without = references.fold_layer_scale(checkpoint(draw, *sizes))
    setting = f"{_setting(*sizes)}, no layer scale"
    _names_are(folded(student, without, setting), without, setting)
    _tensors_are(folded(student, without, setting), without, list(without), setting, "There is nothing to fold.")
    for name, tensor in folded(student, without, setting).items():
        expect.dtype(expect.tensor(tensor, name), torch.float64, name, f"{setting}, float64")
    half = {name: tensor for name, tensor in checkpoint(draw, *sizes).items() if "layer_scale2" not in name}
    setting = f"{_setting(*sizes)}, only the first scales"
    _tensors_are(
        folded(student, half, setting), half, [name for name in half if "layer_scale" not in name], setting, ""
    )
