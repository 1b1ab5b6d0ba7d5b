"""Values as a JSON header and raw bytes: everything is bounded, nothing is pickled."""

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from autograder.runtime.arguments import Made, Seeded

MAX_BODY = 512 * 2**20
MAX_NODES = 20_000
MAX_DEPTH = 12
MAX_NAME = 4096  # as long as a path may be
_ALIGNED = 64
_NAMES = "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128"
DTYPES = {name: getattr(torch, name) for name in _NAMES.split()}


class BadMessage(Exception):
    """The received data is not a message of this protocol."""


@dataclass
class Packing:
    """The body of an outgoing message."""

    parts: list[bytes | memoryview] = field(default_factory=list)
    size: int = 0

    def add(self, tensor: Tensor) -> int:
        """Append the bytes of a one-dimensional contiguous tensor and return their offset."""
        pad = -self.size % _ALIGNED
        start = self.size + pad
        raw = tensor.view(torch.uint8).numpy().data if tensor.numel() else memoryview(b"")
        self.parts += [b"\0" * pad, raw]
        self.size = start + len(raw)
        return start


def pack(value: Any, packing: Packing, strided: bool = False) -> Any:
    """Return ``value`` as JSON data, with the bytes of its tensors in ``packing``.

    With ``strided`` a tensor keeps its storage, so that a transposed one stays transposed; otherwise only its numbers.
    """
    if value is None or isinstance(value, bool | int | str):
        return value if not isinstance(value, int) or abs(value) < 2**63 else {"object": "int"}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, Tensor):
        return _pack_tensor(value, packing, strided)
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [pack(item, packing, strided) for item in _few(value)]}
    if isinstance(value, dict):
        return {"dict": [[_name(key), pack(item, packing, strided)] for key, item in _few(value.items())]}
    if isinstance(value, Made):
        return {"made": [value.name, pack(dict(value.kwargs), packing, strided)]}
    if isinstance(value, Seeded):
        return {"seeded": value.seed}
    return {"object": type(value).__name__[:40]}


def _few(items: Any) -> list[Any]:
    """Return the items as a list. Nothing is left out: too many are an error."""
    found = list(itertools.islice(iter(items), MAX_NODES + 1))
    if len(found) > MAX_NODES:
        raise ValueError(f"more than {MAX_NODES:,} items in one list or dictionary")
    return found


def _name(key: Any) -> str:
    """Return a key as text. It is never cut: a shorter name would be another one."""
    name = str(key)
    if len(name) > MAX_NAME:
        raise ValueError(f"a key of more than {MAX_NAME:,} characters, {name[:40]!r}…")
    return name


def _pack_tensor(tensor: Tensor, packing: Packing, strided: bool) -> Any:
    name = str(tensor.dtype).removeprefix("torch.")
    plain = tensor.detach()
    if name not in DTYPES or plain.layout is not torch.strided:
        return {"object": "Tensor"}
    where = plain.device.type
    plain = plain.cpu() if where not in ("cpu", "meta") else plain
    if where == "meta":
        return {"tensor": name, "shape": list(plain.shape), "count": 0, "at": 0, "meta": True}
    entry: dict[str, Any] = {"tensor": name, "shape": list(plain.shape)}
    if where != "cpu":
        entry["device"] = where
    if strided and not plain.is_contiguous() and plain.numel():
        raw = torch.empty(0, dtype=plain.dtype).set_(plain.untyped_storage())
        entry |= {"stride": list(plain.stride()), "offset": plain.storage_offset(), "count": raw.numel()}
        return entry | {"at": packing.add(raw)}
    plain = plain.resolve_conj().resolve_neg().contiguous().reshape(-1)
    if plain.numel() == 1:  # contiguous whatever its stride, which contiguous() and clone() then keep
        plain = plain.as_strided((1,), (1,))
    return entry | {"count": plain.numel(), "at": packing.add(plain)}
