"""CIFAR-10 from the files that https://www.cs.toronto.edu/~kriz/cifar.html offers: the Python or the binary version."""

import pickle
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

CIFAR_CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
PARTS = {"train": [f"data_batch_{number}" for number in range(1, 6)], "test": ["test_batch"]}
SIDE = 32
PIXELS = 3 * SIDE * SIDE  # red, then green, then blue, each row by row


@dataclass(frozen=True)
class LabelledPictures:
    """Pictures with values from 0 to 1, and the class index of each."""

    images: Float[Tensor, "N C H W"]
    labels: Int64[Tensor, " N"]

    def __len__(self) -> int:
        return len(self.labels)


def cifar10(folder: str | PathLike[str], part: str = "train", limit: int | None = None) -> LabelledPictures:
    """Return the 50,000 pictures of "train" or the 10,000 of "test", each (3, 32, 32), in the order of the files.

    folder: the unpacked archive, cifar-10-batches-py or cifar-10-batches-bin. limit: the maximum number of pictures. Labels are
    indices into `CIFAR_CLASSES`. The Python version's files are pickles, which can run any code when they are unpickled; here
    only plain values and arrays of bytes are read from them, and anything else is refused.

    Raises ValueError for another part, a limit below 1 or a file in another format, FileNotFoundError if a file is missing.
    """
    if part not in PARTS:
        raise ValueError(f"Expected part to be one of {', '.join(map(repr, PARTS))}, got {part!r}.")
    if limit is not None and limit < 1:
        raise ValueError(f"Expected limit to be at least 1, got {limit}.")
    pixels, labels, found = [], [], 0
    for name in PARTS[part]:
        if limit is None or found < limit:
            new_pixels, new_labels = _read(Path(folder), name)
            pixels.append(new_pixels)
            labels.append(new_labels)
            found += len(new_labels)
    images = torch.tensor(np.concatenate(pixels)[:limit].reshape(-1, 3, SIDE, SIDE))
    return LabelledPictures(images / 255, torch.tensor(np.concatenate(labels)[:limit].astype(np.int64)))


def _read(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the pixels (N, 3072) and the labels (N,) of one file, checked."""
    published, binary = folder / name, folder / f"{name}.bin"
    file = binary if binary.is_file() else published
    if not file.is_file():
        raise FileNotFoundError(
            f"There is neither {published} nor {name}.bin beside it. Unpack cifar-10-python.tar.gz or "
            "cifar-10-binary.tar.gz and name the folder that comes out of it."
        )
    pixels, labels = _read_binary(file) if file == binary else _read_pickle(file)
    if labels.max(initial=0) >= len(CIFAR_CLASSES):
        raise ValueError(f"Expected labels from 0 to 9 in {file}, got {labels.max()}. Is it CIFAR-100?")
    return pixels, labels


def _read_binary(file: Path) -> tuple[np.ndarray, np.ndarray]:
    data = np.frombuffer(file.read_bytes(), np.uint8)
    if not len(data) or len(data) % (1 + PIXELS):
        raise ValueError(
            f"Expected {file} to hold records of {1 + PIXELS} bytes, got {len(data)} bytes. Is it cut short?"
        )
    records = data.reshape(-1, 1 + PIXELS)
    return records[:, 1:], records[:, 0]


def _read_pickle(file: Path) -> tuple[np.ndarray, np.ndarray]:
    try:
        with file.open("rb") as stream:
            content = _PlainUnpickler(stream, encoding="bytes").load()
        pixels, labels = content[b"data"].array(), content[b"labels"]
        if not isinstance(labels, list) or not all(type(label) is int and label >= 0 for label in labels):
            raise ValueError("labels that are no list of whole numbers from 0")
        if not labels or len(pixels) != PIXELS * len(labels):
            raise ValueError(f"{len(labels)} labels and {len(pixels)} bytes of pixels, not {PIXELS} for each label")
        numbers = np.array(labels, np.int64)
    except Exception as error:  # a damaged pickle raises nearly anything
        raise ValueError(
            f"Expected {file} to be a file of CIFAR-10's Python version (a pickle with data and labels), got "
            f"{type(error).__name__}: {error}."
        ) from error
    return pixels.reshape(-1, PIXELS), numbers


class _Array:
    """A stand-in for a NumPy array in a pickle, which keeps its state."""

    def __init__(self, *_: Any):
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def array(self) -> np.ndarray:
        """Return the bytes of a C-ordered array of uint8 as one row, or raise ValueError."""
        _, _, dtype, is_fortran, content = self.state
        if (
            not isinstance(dtype, _Dtype)
            or dtype.name not in ("u1", b"u1")
            or is_fortran
            or not isinstance(content, bytes)
        ):
            raise ValueError("the data are not bytes")
        return np.frombuffer(content, np.uint8)


class _Dtype:
    """A stand-in for a NumPy dtype in a pickle."""

    def __init__(self, name: Any, *_: Any):
        self.name = name

    def __setstate__(self, state: Any) -> None:
        """Ignore byte order and the like, which mean nothing for single bytes."""


def _latin1(text: str, _: str) -> bytes:
    """Evaluate _codecs.encode(text, "latin1"), which Python 3 writes for bytes in protocol 2."""
    return text.encode("latin1")


KNOWN = {
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy._core.multiarray", "_reconstruct"): _Array,
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Dtype,
    ("_codecs", "encode"): _latin1,
}


class _PlainUnpickler(pickle.Unpickler):
    """Builds only plain values, and stand-ins for arrays; no other class or function can be named."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in KNOWN:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which CIFAR-10's files do not")
        return KNOWN[module, name]
