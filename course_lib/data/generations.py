"""Two recurrent translators, trained until they stopped improving: with one vector, and with attention.

Lesson 05, section 9.3, compares them with a Transformer, and its cell can train them again. Their weights, in half precision, are
beside this file, to save the time.
"""

from pathlib import Path
from typing import Any

from torch import nn

GENERATIONS = ("one vector", "attention")


def load_generation(name: str, model: nn.Module) -> dict[str, list[Any]]:
    """Load the weights of a trained translator into `model`, and return the record of its training.

    name: "one vector" or "attention". The dictionary has "steps" and, for each of these numbers of steps, in "gaps", the excess
    in nats per word of the cross-entropy on held-out sentences over the lowest possible. Raises ValueError for another name,
    and CheckpointError if the model has other weights.
    """
    from course_lib.training import load_checkpoint

    record = load_checkpoint(_file(name), model).metadata
    model.eval()
    return {"steps": record["steps"], "gaps": record["gaps"]}


def save_generation(name: str, model: nn.Module, record: dict[str, list[Any]]) -> None:
    """Save the weights of a translator, and the record of its training, for `load_generation`."""
    from course_lib.training import save_checkpoint

    save_checkpoint(model.half(), _file(name), **record)
    model.float()


def _file(name: str) -> Path:
    if name not in GENERATIONS:
        raise ValueError(f"Expected one of {', '.join(map(repr, GENERATIONS))}, got {name!r}.")
    return Path(__file__).with_name(f"generation_{name.lower().replace(' ', '_')}.safetensors")
