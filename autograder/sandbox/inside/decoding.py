"""Values from a JSON header and raw bytes. Everything is counted and bounded before it is made."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.runtime.arguments import Made, Seeded
from autograder.runtime.seeds import BITS
from autograder.sandbox.inside.encoding import DTYPES, MAX_BODY, MAX_DEPTH, MAX_NODES, BadMessage


class Opaque:
    """A student's return value that is neither a tensor nor plain data. Only the name of its type is known."""


def opaque(type_name: str) -> Opaque:
    """Return an object whose type has this name, so that a failure message can name the type."""
    name = type_name if type_name.isidentifier() and len(type_name) <= 40 else "object"
    return type(name, (Opaque,), {})()


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
            return Seeded(_size(content, 2**BITS - 1))
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


def _size(number: Any, largest: int = 2**40) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= largest:
        raise BadMessage("a tensor with an invalid size")
    return number


def _sizes(numbers: Any) -> list[int]:
    if not isinstance(numbers, list) or len(numbers) > 16:
        raise BadMessage("a tensor whose shape is not a list of sizes")
    return [_size(number) for number in numbers]


_SIMPLE: dict[str, Callable[[str], Any]] = {"dtype": _dtype, "float": _float, "device": _device, "object": opaque}


def value(data: Any, unpacking: Unpacking) -> Any:
    """Return the value that an answer holds."""
    return unpacking.value(data)


def number(data: Any, _: Unpacking) -> int:
    """Return the count that an answer holds. Raises BadMessage for anything else."""
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data < 2**60:
        raise BadMessage("a count that is no whole number")
    return data
