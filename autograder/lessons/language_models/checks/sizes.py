"""The small GPTs that the checks of this lesson build, as the student makes them and as the reference does."""

from typing import Any

import torch

from autograder.checks import Constructed, Draw, ModulePair, Student
from autograder.lessons.language_models import references

V, D, H, HIDDEN, BLOCKS, LONGEST = 19, 15, 3, 17, 2, 31
FIELDS: dict[str, Any] = {
    "kind": "decoder",
    "vocab_size": V,
    "model_width": D,
    "num_heads": H,
    "hidden_width": HIDDEN,
    "encoder_blocks": BLOCKS + 2,  # no other number is the same
    "decoder_blocks": BLOCKS,
    "max_length": LONGEST,
    "dropout": 0.0,
    "norm": "pre",
    "activation": "gelu",
}


def made(**changes):
    """Return the config as an argument for the student's class."""
    return Constructed("TransformerConfig", FIELDS | changes)


def config(**changes):
    """Return the config of the reference."""
    return references.TransformerConfig(**(FIELDS | changes))


def twins(student: Student, name: str, draw: Draw, dtype=torch.float64, weights=None, **changes) -> ModulePair:
    """Return the student's GPT and the reference, with the same weights."""
    reference = getattr(references, name)(config(**changes))
    return ModulePair(student, name, (made(**changes),), reference, draw, dtype, weights)


def ids_of(draw: Draw, B, N, vocab_size=V):
    """Draw ids; 0, which some take for padding, is always among them."""
    ids = draw.integers(vocab_size, B, N)
    if N:
        ids[-1, -1] = 0
    return ids


def describe_changes(changes) -> str:
    """Describe what a config changes."""
    return ", ".join(f"{key}={value!r}" for key, value in changes.items())
