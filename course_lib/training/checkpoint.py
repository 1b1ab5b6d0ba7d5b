"""Save and load a model: names, tensors and a little text in a safetensors file, without pickle."""

import json
import os
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from course_lib.training.errors import CheckpointError, some
from course_lib.training.files import Tensors, read_file, write_file
from course_lib.training.weights import check_numbers, copy_weights, put_weights, tensors_of, tied_names, unwrapped

OURS = "course_lib"  # the one entry in the file's own metadata: metadata, aliases, and the state of training
PREFIX = "training/"  # of the names of tensors that are no weights; no module's name begins so
GIGABYTE = 2**30

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Checkpoint:
    """The content of a checkpoint: the weights by name, on the CPU, and their metadata."""

    weights: Tensors
    metadata: dict[str, Any]
    training: Tensors = field(default_factory=dict, repr=False)  # the state with which fit resumes
    facts: dict[str, Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        numbers = sum(tensor.numel() for tensor in self.weights.values())
        return f"Checkpoint({len(self.weights)} tensors, {numbers:,} numbers, metadata={self.metadata})"


def save_checkpoint(model: nn.Module, path: Path, **metadata: Any) -> None:
    """Save the weights of `model` (parameters and buffers) to `path`, with `metadata` that JSON can express.

    The file is a safetensors file with the names of `model.state_dict()`; tied weights are written once. It is written
    whole or not at all. Raises CheckpointError if a weight is NaN or infinite, or if the state of the model or the
    metadata holds something else than tensors or what JSON knows; OSError if the disk does not take it.
    """
    write_checkpoint(model, path, copy_weights(model, "cpu"), metadata)


def write_checkpoint(
    model: nn.Module,
    path: Path,
    weights: Tensors,
    metadata: dict[str, Any],
    training: Tensors | None = None,
    facts: dict[str, Any] | None = None,
) -> None:
    """Write `weights` of `model`, and the state with which `fit` resumes. Raises the errors of `save_checkpoint`."""
    check_numbers(model, weights)
    aliases = tied_names(model)
    tensors = {name: tensor for name, tensor in weights.items() if name not in aliases}
    tensors |= {PREFIX + name: tensor for name, tensor in (training or {}).items()}
    ours = {"metadata": metadata, "aliases": aliases, "training": facts or {}}
    # One entry: safetensors shuffles several, and the bytes should be reproducible.
    write_file(path, tensors, {OURS: _text(ours)})


def _text(ours: dict[str, dict[str, Any]]) -> str:
    try:
        return json.dumps(ours)
    except (TypeError, ValueError) as error:
        raise CheckpointError(
            f"Expected metadata that JSON can express (numbers, text, lists, dictionaries with text as keys): {error}. "
            "Tensors become lists by tolist()."
        ) from error


def load_checkpoint(path: Path, model: nn.Module | None = None, max_bytes: int | None = GIGABYTE) -> Checkpoint:
    """Return the checkpoint at `path`, which need not be trusted; load its weights into `model`, if given.

    The model's own devices and dtypes are kept. From a file that `fit` has written, this takes the weights that `fit`
    leaves: the best on validation so far, or the last. Raises CheckpointError, and leaves the model as it is, if the
    file is missing, damaged, a pickle, longer than `max_bytes`, or does not fit the model: names, shapes and kinds of
    numbers must be the same, all numbers must be finite. Metadata that another program has written stays text.
    """
    tensors, texts = read_file(path, max_bytes)
    ours = _value(texts.pop(OURS, "{}"))
    metadata, aliases, facts = (_dictionary(ours, part, path) for part in ("metadata", "aliases", "training"))
    weights = {name: tensor for name, tensor in tensors.items() if not name.startswith(PREFIX)}
    if model is None:
        check_numbers(None, weights)  # before second names are added: a tied weight is checked once
    weights |= _second_names(weights, aliases, path)
    weights = unwrapped(weights, () if model is None else tensors_of(model))
    if model is not None:
        put_weights(model, weights, f"'{path}'")
    training = {name.removeprefix(PREFIX): tensors[name] for name in tensors if name.startswith(PREFIX)}
    return Checkpoint(weights, texts | metadata, training, facts)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _dictionary(ours: Any, part: str, path: Path) -> dict[str, Any]:
    found = ours.get(part, {}) if isinstance(ours, dict) else None
    if not isinstance(found, dict):
        raise CheckpointError(
            f"Expected the metadata of '{path}' as save_checkpoint writes it, got something else under {OURS!r}. "
            "Save the model again with save_checkpoint(model, path)."
        )
    return found


def _second_names(weights: Tensors, aliases: dict[str, Any], path: Path) -> Tensors:
    wrong = [name for name, first in aliases.items() if not isinstance(first, str) or first not in weights]
    if wrong:
        raise CheckpointError(
            f"Expected every tied weight of '{path}' to name the tensor it is tied to, got {some(wrong)} without one. "
            "Save the model again with save_checkpoint(model, path)."
        )
    return {name: weights[first] for name, first in aliases.items() if name not in weights}
