"""Two recurrent translators that were trained until they stopped improving: with one vector, and with attention.

Lesson 04, section 9.3, compares them with a Transformer, and its cell trains them again if it is asked to. Their weights lie
beside this file, in half precision, so that nobody has to wait for them.
"""

from pathlib import Path
from typing import Any

from torch import nn

GENERATIONS = ("one vector", "attention")


def load_generation(name: str, model: nn.Module) -> dict[str, list[Any]]:
    """Put the weights of a trained translator into `model`, and return how it was trained.

    name: "one vector" or "attention". The dictionary has "steps" and, after each of these many steps, in "gaps",
    by how many nats per word the cross-entropy on held-out sentences lay above the lowest possible.
    Raises ValueError for another name, and CheckpointError if the model has other weights.
    """
    from course_lib.training import load_checkpoint

    record = load_checkpoint(_file(name), model).metadata
    model.eval()
    return {"steps": record["steps"], "gaps": record["gaps"]}


def save_generation(name: str, model: nn.Module, record: dict[str, list[Any]]) -> None:
    """Write the weights of a translator and how it was trained to where `load_generation` looks for them."""
    from course_lib.training import save_checkpoint

    save_checkpoint(model.half(), _file(name), **record)
    model.float()


def _file(name: str) -> Path:
    if name not in GENERATIONS:
        raise ValueError(f"Expected one of {', '.join(map(repr, GENERATIONS))}, got {name!r}.")
    return Path(__file__).with_name(f"generation_{name.lower().replace(' ', '_')}.safetensors")
