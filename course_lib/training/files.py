"""Safetensors files: written atomically, and read without trust."""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import safetensors.torch
from jaxtyping import Shaped
from torch import Tensor

from course_lib.training.errors import CheckpointError

Tensors = dict[str, Shaped[Tensor, "..."]]

LENGTH = 8  # a file begins with 8 bytes: the length of the header, lowest byte first
MAX_HEADER = 2**22  # bytes; a tensor takes about 100 of them
MAX_AXES = 64  # of a tensor; PyTorch makes those of more, and computes with none
PICKLES = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")  # torch.save of today, and plain pickle
SAVE_ANEW = "Save the model again with save_checkpoint(model, path)."


def write_file(path: str | os.PathLike[str], tensors: Tensors, metadata: Mapping[str, str]) -> None:
    """Write `tensors` and `metadata` to `path`, and make its folder if it is not there.

    They go to a temporary file beside `path`, which is then renamed: after an interruption, the previous file is still whole.
    Raises OSError if the folder cannot be written to or the disk is full.
    """
    write_bytes(path, safetensors.torch.save(tensors, dict(metadata)))


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to `path`, whole or not at all, as `write_file` does."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def read_file(path: str | os.PathLike[str], max_bytes: int | None) -> tuple[Tensors, dict[str, str]]:
    """Return (tensors by name, metadata) of a file of at most `max_bytes` bytes (None: of any size).

    Raises CheckpointError if there is no such file, or it is too large, damaged, or no safetensors file. Nothing in
    it is ever executed, and sizes that it claims are compared with its real size before memory is taken for them.
    """
    data = _bytes_of(Path(path), max_bytes)
    length = _header_length(data, path)
    try:
        tensors = safetensors.torch.load(data)
        metadata = json.loads(data[LENGTH : LENGTH + length]).get("__metadata__", {})
        if wide := [name for name, tensor in tensors.items() if tensor.dim() > MAX_AXES]:
            raise ValueError(f"{wide[0][:100]!r} has more than {MAX_AXES} axes")
    except Exception as error:  # bytes of any kind may lie behind the header's length
        raise CheckpointError(
            f"Expected a whole safetensors file, got a damaged one, '{path}' ({str(error)[:200]}). "
            f"If it was copied or downloaded, do that again. {SAVE_ANEW}"
        ) from error
    return dict(sorted(tensors.items())), metadata


def _bytes_of(path: Path, max_bytes: int | None) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise CheckpointError(
            f"Expected a checkpoint at '{path}', but it cannot be opened: {error.strerror}. "
            f"Check the name, and that this is the right folder: {Path.cwd()}"
        ) from error
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):  # a pipe would block the reader for ever
            raise CheckpointError(
                f"Expected '{path}' to be a file, got a folder, a pipe or a device. Pass a file's name."
            )
        if max_bytes is not None and found.st_size > max_bytes:
            raise CheckpointError(
                f"Expected a checkpoint of at most {max_bytes:,} bytes, got {found.st_size:,} in '{path}'. "
                "Nothing of it was read. If the model is meant to be that large, pass a larger max_bytes."
            )
        with open(handle, "rb", closefd=False) as file:
            return file.read(found.st_size)
    finally:
        os.close(handle)


def _header_length(data: bytes, path: str | os.PathLike[str]) -> int:
    """Return the length of the header in bytes, or raise CheckpointError if this is no safetensors file."""
    length = int.from_bytes(data[:LENGTH], "little")
    room = len(data) - LENGTH
    if data[LENGTH : LENGTH + 1] != b"{" and data.startswith(PICKLES):
        raise CheckpointError(
            f"Expected a safetensors file, got a pickle, as torch.save writes it, in '{path}'. A pickle can run any "
            f"program when it is opened, so it was not opened. {SAVE_ANEW}"
        )
    if room < 2 or data[LENGTH : LENGTH + 1] != b"{":
        raise CheckpointError(
            f"Expected a safetensors file, got {len(data):,} bytes of something else in '{path}'. {SAVE_ANEW}"
        )
    if length > min(room, MAX_HEADER):
        raise CheckpointError(
            f"Expected the header of '{path}' to take at most {min(room, MAX_HEADER):,} bytes, but it claims {length:,}. "
            f"The file is damaged or was cut off. {SAVE_ANEW}"
        )
    return length
