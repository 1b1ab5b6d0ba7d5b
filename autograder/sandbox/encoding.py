"""Values as a JSON header and raw bytes: everything is bounded, nothing is pickled."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from autograder.judging.arguments import Made, Seeded

MAX_BODY = 512 * 2**20
MAX_NODES = 20_000
MAX_DEPTH = 12
_ALIGNED = 64
_NAMES = "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128"
DTYPES = {name: getattr(torch, name) for name in _NAMES.split()}


class BadMessage(Exception):
    """The received data is not a message of this protocol."""


class Opaque:
    """A student's return value that is neither a tensor nor plain data. Only the name of its type is known."""


def opaque(type_name: str) -> Opaque:
    """Return an object whose type has this name, so that a failure message can name the type."""
    name = type_name if type_name.isidentifier() and len(type_name) <= 40 else "object"
    return type(name, (Opaque,), {})()


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
        return {kind: [pack(item, packing, strided) for item in list(value)[:1000]]}
    if isinstance(value, dict):
        return {"dict": [[str(key)[:200], pack(item, packing, strided)] for key, item in list(value.items())[:1000]]}
    if isinstance(value, Made):
        return {"made": [value.name, pack(dict(value.kwargs), packing, strided)]}
    if isinstance(value, Seeded):
        return {"seeded": value.seed}
    return {"object": type(value).__name__[:40]}


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


class Unpacking:
    """Reads values from a message and counts what it creates. Only requests may contain tensors with custom strides."""

    def __init__(self, body: bytearray, strided: bool = False):
        self.body, self.strided, self.nodes, self.bytes = body, strided, 0, 0

    def value(self, data: Any, depth: int = 0) -> Any:
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            raise BadMessage("a value with too many or too deeply nested parts")
        if data is None or isinstance(data, bool | int | float | str):
            return data
        if not isinstance(data, dict):
            raise BadMessage(f"a {type(data).__name__} where a value was expected")
        if "tensor" in data:
            try:
                return self._tensor(data)
            except RuntimeError as error:  # PyTorch's own bounds: size overflow, unaligned bytes
                raise BadMessage(f"a tensor that cannot be made ({str(error).splitlines()[0][:100]})") from None
        if len(data) != 1:
            raise BadMessage("a value of no known kind")
        [(kind, content)] = data.items()
        if kind in ("tuple", "list") and isinstance(content, list):
            items = [self.value(item, depth + 1) for item in content]
            return tuple(items) if kind == "tuple" else items
        if kind == "dict" and isinstance(content, list):
            pairs = [pair for pair in content if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)]
            return {key: self.value(item, depth + 1) for key, item in pairs}
        if kind in _SIMPLE and isinstance(content, str):
            return _SIMPLE[kind](content)
        if kind == "made" and self.strided and isinstance(content, list) and len(content) == 2:  # in requests only
            return Made(str(content[0]), self.value(content[1], depth + 1))
        if kind == "seeded" and self.strided:
            return Seeded(_size(content))
        raise BadMessage("a value of no known kind")

    def _tensor(self, data: dict[str, Any]) -> Any:
        dtype = DTYPES.get(data["tensor"]) if isinstance(data["tensor"], str) else None
        shape, count, at = _sizes(data.get("shape")), _size(data.get("count")), _size(data.get("at"))
        if dtype is None:
            raise BadMessage("a tensor without a dtype")
        self.bytes += count * dtype.itemsize
        if self.bytes > 2 * MAX_BODY or ("stride" in data and not self.strided):
            raise BadMessage("tensors that take more room than they may")
        if at + count * dtype.itemsize > len(self.body):
            raise BadMessage("a tensor that is longer than its message")
        if data.get("meta") is True:
            return torch.empty(shape, dtype=dtype, device="meta")  # has no data
        if count == 0:
            return torch.empty(shape, dtype=dtype) if math.prod(shape) == 0 else _bad("an empty tensor with a shape")
        flat = torch.frombuffer(self.body, dtype=torch.uint8, count=count * dtype.itemsize, offset=at)
        if dtype is torch.bool:
            flat = flat != 0  # any other byte in a bool tensor is undefined behaviour
        flat = flat.view(dtype)
        if "stride" in data:
            return self._strided(data, flat, shape, count)
        if math.prod(shape) != count:
            raise BadMessage("a tensor whose shape does not fit its numbers")
        return flat.view(shape)

    def _strided(self, data: dict[str, Any], flat: Tensor, shape: list[int], count: int) -> Tensor:
        stride, offset = _sizes(data["stride"]), _size(data.get("offset"))
        if len(stride) != len(shape) or math.prod(shape) == 0:
            raise BadMessage("a tensor with wrong strides")
        if offset + sum((n - 1) * s for n, s in zip(shape, stride, strict=True)) >= count:
            raise BadMessage("a tensor that reaches beyond its storage")
        own = flat.clone()
        return torch.empty(0, dtype=own.dtype).set_(own.untyped_storage(), offset, shape, stride)


def _dtype(name: str) -> torch.dtype:
    return DTYPES.get(name) or _bad("an unknown dtype")


def _float(text: str) -> float:
    return float(text) if text in ("nan", "inf", "-inf") else _bad("an invalid number")


def _device(name: str) -> torch.device:
    return torch.device(name) if name in ("cpu", "meta", "cuda", "cuda:0") else _bad("an unknown device")


def _bad(what: str) -> Any:
    raise BadMessage(what)


def _size(number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= 2**40:
        raise BadMessage("a tensor with an invalid size")
    return number


def _sizes(numbers: Any) -> list[int]:
    if not isinstance(numbers, list) or len(numbers) > 16:
        raise BadMessage("a tensor whose shape is not a list of sizes")
    return [_size(number) for number in numbers]


_SIMPLE: dict[str, Callable[[str], Any]] = {"dtype": _dtype, "float": _float, "device": _device, "object": opaque}
