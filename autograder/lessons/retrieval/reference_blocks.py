"""A right version of reading GGUF's blocks, byte by byte as the format's description says."""

import struct

import torch
from torch import Tensor

#: Bytes of a block.
SIZES = {"Q8_0": 34, "Q4_0": 18, "Q4_1": 20}


def dequantise(data: Tensor, kind: str) -> Tensor:
    """Return the numbers (rows, 32 · blocks) in float32."""
    if kind not in SIZES or data.shape[1] % SIZES[kind]:
        raise ValueError(f"{data.shape[1]} bytes are no whole blocks of kind {kind!r}")
    size, rows = SIZES[kind], []
    for row in data.tolist():
        numbers = list[float]()
        for at in range(0, len(row), size):
            numbers += _block(bytes(row[at : at + size]), kind)
        rows.append(numbers)
    return torch.tensor(rows, dtype=torch.float64).float().reshape(len(data), -1)


def _block(block: bytes, kind: str) -> list[float]:
    """Return the 32 numbers of a block."""
    if kind == "Q8_0":
        d, *signed = struct.unpack("<e32b", block)
        return [q * d for q in signed]
    halves = [byte & 15 for byte in block[-16:]] + [byte >> 4 for byte in block[-16:]]
    if kind == "Q4_0":
        (d,) = struct.unpack("<e", block[:2])
        return [(q - 8) * d for q in halves]
    d, m = struct.unpack("<ee", block[:4])
    return [q * d + m for q in halves]
