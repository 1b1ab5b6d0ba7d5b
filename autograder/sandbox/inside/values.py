"""Inside: plain data of the notebook that can be passed from one worker to another: no functions, no objects of libraries."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

#: Maximum of bytes of all values together, and the minimum that each counts as: a message has a limited number of parts.
MOST_BYTES, _EACH, _DEEPEST = 16 * 2**20, 2048, 4

#: Names that every namespace of IPython has.
_OF_THE_SHELL = ("In", "Out", "exit", "quit", "get_ipython")


def values(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers, texts, tensors and arrays in a namespace, and tuples, lists and dictionaries of them, by name."""
    plain_data, bytes_left = dict[str, Any](), float(MOST_BYTES)
    for name, value in [*namespace.items()]:
        if not name.startswith("_") and name not in _OF_THE_SHELL and (size := _size(value)) <= bytes_left:
            plain_data[name] = value
            bytes_left -= size
    return plain_data


def _size(value: Any, depth: int = 0) -> float:
    """Return the approximate size of plain data in bytes; infinity for anything else."""
    if value is None or type(value) in (bool, int, float) or isinstance(value, np.bool_ | np.integer | np.floating):
        return _EACH
    if type(value) is str:
        return _EACH + len(value)
    if type(value) is Tensor:
        plain = value.layout is torch.strided and value.device.type == "cpu"
        return _EACH + value.numel() * value.element_size() if plain else math.inf
    if type(value) is np.ndarray:
        plain = value.dtype.kind in "bif" and value.dtype.itemsize <= 8
        return _EACH + value.nbytes if plain else math.inf
    if depth > _DEEPEST or type(value) not in (tuple, list, dict) or len(value) > MOST_BYTES // _EACH:
        return math.inf
    items = value.values() if type(value) is dict else value
    named = type(value) is not dict or all(type(key) is str for key in value)
    return _EACH + sum(_size(item, depth + 1) for item in items) if named else math.inf


def sent(value: Any) -> Any:
    """Return plain data in the form of a message: an array as ``{"array": tensor}``, a NumPy number as Python's."""
    if isinstance(value, np.ndarray):
        return {"array": torch.from_numpy(np.ascontiguousarray(value))}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple | list):
        return type(value)(map(sent, value))
    return {"dict": {key: sent(item) for key, item in value.items()}} if isinstance(value, dict) else value


def received(value: Any) -> Any:
    """Undo :func:`sent`."""
    if isinstance(value, tuple | list):
        return type(value)(map(received, value))
    if isinstance(value, dict):
        [(kind, content)] = value.items()
        return content.numpy() if kind == "array" else {key: received(item) for key, item in content.items()}
    return value
