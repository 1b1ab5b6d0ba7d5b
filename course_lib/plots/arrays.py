"""Convert a student's argument (tensor on any device, array, list) to a NumPy array of the right shape."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Shaped
from torch import Tensor

# The signatures of the plots name no shape: a matrix of the wrong shape has to reach the helpful error.
Values = Shaped[Tensor, "..."] | Shaped[np.ndarray, "..."] | Sequence[Any]
Array = Float[np.ndarray, "..."]


def to_array(values: Any, name: str) -> Array:
    """Return `values` as float64, without gradient and on the CPU. Raises ValueError if they are not real numbers."""
    try:
        array = np.asarray(_plain(values))
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"Expected {name} to be a tensor, an array or equally long lists of numbers: {error}"
        ) from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"Expected {name} to hold real numbers, got {array.dtype} from {type(values).__name__}.")
    return array.astype(np.float64)


def _plain(values: Any) -> Any:
    if isinstance(values, Tensor):
        values = values.detach().cpu()
        # NumPy has no bfloat16.
        return values.to(torch.float64).numpy() if values.is_floating_point() else values.numpy()
    if isinstance(values, list | tuple):
        return [_plain(value) for value in values]
    return values


def to_matrix(values: Any, name: str, advice: str = "") -> Float[np.ndarray, "N_Q N_K"]:
    """Return `values` as a matrix with at least one entry, or raise ValueError with `advice`."""
    array = to_array(values, name)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(
            f"Expected {name} to be one matrix of shape (N_Q, N_K), got shape {array.shape}. {advice}".rstrip()
        )
    return array


def to_vector(values: Any, name: str) -> Float[np.ndarray, " N"]:
    """Return `values` as a vector with at least one entry, or raise ValueError."""
    array = to_array(values, name)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"Expected {name} to be one row of numbers, got shape {array.shape}.")
    return array
