"""Checks of exercises that load a published checkpoint, with its own names, into the student's module."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.checks import expect
from autograder.checks.inputs import Draw
from autograder.checks.properties import raises_value_error
from autograder.runtime.errors import MESSAGE, CheckFailure

#: A description of the numbers that a parameter holds instead of its tensor: as shown, a cause and a hint.
Instead = tuple[str, str, str]


def names_are(
    names: Iterable[str],
    right: Callable[[str], str | None],
    rename: Callable[[str], Any],
    model: str,
    explain: Callable[[str, str | None, Any], tuple[str, str]],
    hint: str,
) -> None:
    """Fail unless ``rename`` maps each name of a checkpoint to its name in the course's ``model``, as ``right`` does.

    ``explain`` maps (name, right name, given name) to a cause and a sentence, both empty if no mistake is recognised. The
    ``hint`` follows the sentence.
    """
    for name in names:
        expected, actual = right(name), rename(name)
        if type(actual) is type(expected) and actual == expected:
            continue
        actual_text = actual if isinstance(actual, str) else "None" if actual is None else f"a {type(actual).__name__}"
        cause, sentence = explain(name, expected, actual)
        raise CheckFailure(
            "name",
            f"{name} is not mapped to its name in {model}.",
            expected=str(expected),
            yours=actual_text or "an empty text",
            received=actual_text,
            cause=cause,
            hint=f"{sentence} {hint}".strip(),
        )


def another_order(state: Mapping[str, Tensor], draw: Draw) -> list[str]:
    """Return the names of a checkpoint in random order: files store tensors in any order, so only the names identify them."""
    names = list(state)
    return [names[place] for place in draw.permutation(len(names)).tolist()]


def in_order(state: Mapping[str, Tensor], order: Sequence[str]) -> dict[str, Tensor]:
    """Return the tensors in the given order of names. Names may be missing on either side; tensors not in ``order`` come last."""
    return {name: state[name] for name in (*order, *state) if name in state}


def same_numbers(one: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape and, in float32, the same numbers."""
    return one.shape == other.shape and torch.equal(one.detach().float(), other.float())


def misplaced(
    name: str, place: str, where: str, tensor: Tensor, own: Tensor | None, setting: str, instead: Instead
) -> CheckFailure:
    """Return the failure for a tensor that was not loaded into its parameter.

    ``name``: the name of the tensor in the checkpoint; ``place``: that of the parameter to which it belongs; ``where``: the
    part of the model, such as "block 2"; ``own``: the parameter of the student's module, or None.
    """
    yours, cause, hint = instead
    return CheckFailure(
        "tensor",
        f"In {where}, the checkpoint's {name} is not in {place}.",
        setting=setting,
        expected=f"{tuple(tensor.shape)}, {expect.numbers(tensor)}",
        yours=yours,
        received=own.detach() if own is not None else "no such parameter",
        wanted=tensor,
        cause=cause,
        hint=hint,
    )


def transposed(own: Tensor) -> Instead:
    """Describe a parameter that holds the transpose of its tensor."""
    hint = "Checkpoint and nn.Linear both store the weight as (out, in), for X Wᵀ. Where is it transposed?"
    return f"{tuple(own.shape)}, {expect.numbers(own)}", "weight transposed", hint


def other_tensor(own: Tensor, tensors: Mapping[str, Tensor]) -> Instead:
    """Describe a parameter that holds a different one of the named ``tensors``, or none of them."""
    if other_name := next((name for name, tensor in tensors.items() if same_numbers(own, tensor)), None):
        hint = f"It holds {other_name}. Compare the two names letter by letter."
        return f"that of {other_name}", "tensor in another's place", hint
    hint = "It has different numbers, perhaps its initial ones: was it left out, loaded into a copy, or overwritten?"
    return f"{tuple(own.shape)}, {expect.numbers(own)}", "tensor not loaded", hint


def refuses_state(
    what: str, load: Callable[..., Any], state: Mapping[str, Tensor], fate: str = "", weight: Sequence[str] = ()
) -> None:
    """Fail unless ``load(state)`` raises an error with a message.

    ``fate`` ends "A weight that stays as it was drawn" in the hint, for other consequences of a weight that is not refused.
    ``weight``: the names of the weight that does not fit, in the checkpoint and in the model; the message must contain one of
    them.
    """
    hint = (
        f"A weight that stays as it was drawn{fate} makes a model that runs but is wrong. Compare the names in "
        "checkpoint and model, or let PyTorch do it."
    )
    refusal = raises_value_error(what, hint, load, state, error="", sentence=True)
    if weight and not _names_one(refusal, weight):
        raise CheckFailure(
            "error type",
            f"{what} raises an error that does not say which weight it is about.",
            expected=f"an error with {' or '.join(weight)} in its message",
            yours=refusal,
            received="no name of a weight",
            cause="an error without the name of the weight",
            hint="A checkpoint has hundreds of weights. Put the name of the one that does not fit into the message.",
        )


def _names_one(message: str, names: Iterable[str]) -> bool:
    """Return whether a message contains one of these names, perhaps without its last word; True if the message was cut off."""
    return len(message) >= MESSAGE or any(name.rpartition(".")[0] in message for name in names)


def gradient_reaches(place: str, gradient: Tensor | None, setting: str, name: str) -> None:
    """Fail if ``place``, the parameter into which the tensor ``name`` was loaded, has no gradient or a gradient of zeros."""
    if gradient is None or not bool(gradient.any()):
        raise CheckFailure(
            "gradient",
            f"{place} gets no gradient, so it cannot be fine-tuned.",
            setting=setting,
            received=name,
            cause="weight frozen",
            hint="Copy the numbers into the parameters that are there, and leave requires_grad as it is.",
        )
