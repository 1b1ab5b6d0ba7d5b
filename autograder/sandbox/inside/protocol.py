"""Messages between the grader and the sandbox: a JSON header and raw bytes. Every object is bounded before it is created.

A frame is 4 bytes (length of the header), 8 bytes (length of the body), the header, the body. The reader checks every length,
dtype, shape and nesting before use, and raises :class:`BadMessage` for anything invalid.
"""

import contextlib
import itertools
import json
import math
import re
import select
import socket
import struct
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import torch
from torch import Tensor

from autograder.runtime.errors import CheckFailure
from autograder.runtime.seeds import BITS
from autograder.runtime.student import Constructed, Request, Response, SeededGenerator, StandIn
from autograder.runtime.text import parse_json, quotation

MAX_BODY = 512 * 2**20
MAX_NODES = 20_000
#: Values as which a tensor of an answer counts: creating one takes ten times as long as reading a number, in every request. This
#: allows 2,500 tensors, twice as many as a file of weights may hold.
TENSOR_NODES = 8
#: Maximum of bytes and numbers of an answer, in addition to those of the request, and of characters of one text: a check may copy
#: what it receives, turn it into lists and format it. The course's own answers have up to 7 MB and a million numbers.
MAX_ANSWER, MAX_NUMBERS, MAX_TEXT = 64 * 2**20, 2**21, 100_000
_OWN_STORAGE = 2**20
MAX_DEPTH = 12
MAX_NAME = 4096  # as long as a path may be
_ALIGNED = 64
_NAMES = "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128"
DTYPES = {name: getattr(torch, name) for name in _NAMES.split()}


class BadMessage(Exception):
    """The received bytes are not a valid message of this protocol."""


class TooLarge(BadMessage):
    """A value is larger than any answer needs to be. The text describes the value, to follow "returned"."""


def most_bytes(request: int) -> int:
    """Return the maximum bytes of the tensors in an answer to a request with tensors of this many bytes."""
    return min(MAX_ANSWER + 2 * request, MAX_BODY)


@dataclass
class Packing:
    """The body of an outgoing message, and the stand-ins to which the message refers by number."""

    parts: list[bytes | memoryview] = field(default_factory=list)
    size: int = 0
    stand_ins: list[Any] = field(default_factory=list)

    def add(self, tensor: Tensor) -> int:
        """Append the bytes of a one-dimensional contiguous tensor, and return their offset."""
        pad = -self.size % _ALIGNED
        start = self.size + pad
        raw = tensor.view(torch.uint8).numpy().data if tensor.numel() else memoryview(b"")
        self.parts += [b"\0" * pad, raw]
        self.size = start + len(raw)
        return start


def pack(value: Any, packing: Packing, strided: bool = False) -> Any:
    """Return ``value`` as JSON data, with the bytes of its tensors in ``packing``.

    With ``strided``, a tensor keeps its storage, so that a transposed one stays transposed; otherwise only its numbers.
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
    if isinstance(value, Constructed):
        return {"made": [value.name, pack(dict(value.kwargs), packing, strided)]}
    if isinstance(value, SeededGenerator):
        return {"seeded": value.seed}
    if isinstance(value, StandIn):
        kept_by_grader = hasattr(value.cls, "CALLS")
        packing.stand_ins.append(value.make() if kept_by_grader else None)
        kwargs = {"number": len(packing.stand_ins) - 1} if kept_by_grader else dict(value.kwargs)
        return {"stand_in": [value.name, pack(kwargs, packing, strided)]}
    return {"object": type(value).__name__[:40]}


def _few(items: Any) -> list[Any]:
    """Return the items as a list. None is left out: too many are an error."""
    item_list = list(itertools.islice(iter(items), MAX_NODES + 1))
    if len(item_list) > MAX_NODES:
        raise ValueError(f"more than {MAX_NODES:,} items in one list or dictionary")
    return item_list


def _name(key: Any) -> str:
    """Return a key as text, without truncation: a shorter name would be a different one."""
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


class Opaque:
    """A student's return value that is neither a tensor nor plain data. Only the name of its type is kept."""


def opaque(type_name: str) -> Opaque:
    """Return an object with a type of this name, for failure messages about the type."""
    name = type_name if type_name.isidentifier() and len(type_name) <= 40 else "object"
    return type(name, (Opaque,), {})()


class Unpacking:
    """Reads values from a message, and counts the memory that they use.

    With ``strided``, only for messages from the grader, tensors may be strided, and sizes are limited only by the message.
    """

    def __init__(self, body: bytearray, strided: bool = False):
        self.body, self.strided, self.nodes, self.bytes = body, strided, 0, 0
        # What its tensors may still have, those with numbers and those without, and the characters of a text.
        self.numbers = self.shapes = self.longest = math.inf
        if not strided:
            self.bound(0)

    def bound(self, request: int, longest: int = MAX_TEXT) -> None:
        """Limit a submission's answer to a request with tensors of ``request`` bytes, and the length of its strings."""
        self.numbers = self.shapes = MAX_NUMBERS + request // 2
        self.longest = longest

    def value(self, data: Any, depth: int = 0) -> Any:
        self.nodes += TENSOR_NODES if isinstance(data, dict) and "tensor" in data and not self.strided else 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            raise TooLarge(
                f"more than {MAX_NODES:,} values or {MAX_NODES // TENSOR_NODES:,} tensors, or values nested "
                f"more than {MAX_DEPTH} deep"
            )
        if isinstance(data, int) and abs(data) >= 2**63:
            return opaque("int")
        if data is None or isinstance(data, bool | int | float):
            return data
        if isinstance(data, str):
            return self._text(data)
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
            return {self._text(key): self.value(item, depth + 1) for key, item in pairs}
        if kind in _SIMPLE and isinstance(content, str):
            return _SIMPLE[kind](content)
        if kind == "made" and self.strided and isinstance(content, list) and len(content) == 2:  # in requests only
            return Constructed(str(content[0]), self.value(content[1], depth + 1))
        if kind == "stand_in" and self.strided:
            return StandIn(content[0], self.value(content[1], depth + 1))
        if kind == "seeded" and self.strided:
            return SeededGenerator(_size(content, 2**BITS - 1))
        raise BadMessage("a value of no known kind")

    def _text(self, text: str) -> str:
        if len(text) > self.longest:
            raise TooLarge(f"a text of {len(text):,} characters, far more than was asked for")
        return text

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
        room = math.prod(max(1, length) for length in shape)  # a list has its rows even where they are empty
        if data.get("meta") is True:
            self.shapes -= room  # a mask that is spread over one has all its places, and memory for none
        else:
            self.numbers -= room
        if min(self.numbers, self.shapes) < 0:
            rows = f"{shape[0]:,} rows" if shape else "too many numbers"
            raise TooLarge(f"{rows} (a tensor of shape {tuple(shape)}), far more than was asked for")
        if data.get("meta") is True:
            return torch.empty(shape, dtype=dtype, device="meta")  # has no data
        if count == 0:
            return torch.empty(shape, dtype=dtype) if math.prod(shape) == 0 else _bad("an empty tensor with a shape")
        flat = torch.frombuffer(self.body, dtype=torch.uint8, count=count * dtype.itemsize, offset=at)
        if dtype is torch.bool:
            flat = flat != 0  # any other byte in a bool tensor is undefined behaviour
        if len(self.body) > _OWN_STORAGE and not self.strided:
            flat = flat.clone()  # who keeps a part of the message does not keep all of it
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
        clone = flat.clone()
        return torch.empty(0, dtype=clone.dtype).set_(clone.untyped_storage(), offset, shape, stride)


def _dtype(name: str) -> torch.dtype:
    return DTYPES.get(name) or _bad("an unknown dtype")


def _float(text: str) -> float:
    return float(text) if text in ("nan", "inf", "-inf") else _bad("an invalid number")


def _device(name: str) -> torch.device:
    return torch.device(name) if name in ("cpu", "meta", "cuda", "cuda:0") else _bad("an unknown device")


def _bad(message: str) -> Any:
    raise BadMessage(message)


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
    """Return the value in an answer."""
    return unpacking.value(data)


def number(data: Any, _: Unpacking) -> int:
    """Return the count in an answer. Raises BadMessage for anything else."""
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data < 2**60:
        raise BadMessage("a count that is no whole number")
    return data


_FIELDS = tuple(field.name for field in fields(Request))
_TEXTS = ("kind", "message", "expected", "yours", "setting", "cause", "hint")
_LONGEST = 2000


def pack_request(request: Request, packing: Packing) -> dict[str, Any]:
    content = {name: getattr(request, name) for name in _FIELDS}
    content["kwargs"] = dict(request.kwargs)
    content["weights"] = None if request.weights is None else dict(request.weights)
    return pack(content, packing, strided=True)


def unpack_request(data: Any, unpacking: Unpacking) -> Request:
    return Request(**unpacking.value(data))


def pack_answer(answer: Response, packing: Packing) -> dict[str, Any]:
    """Encode the result of a call. Parameters of a very large module keep only their shapes, as on the device "meta"."""
    large = sum(x.numel() * x.element_size() for x in answer.parameters.values()) > MAX_ANSWER // 2
    parameters = {name: x.to("meta") if large else x for name, x in answer.parameters.items()}
    return {
        "value": pack(answer.value, packing),
        "in_training": pack(answer.in_training, packing),
        "requires_grad": not answer.of_module and isinstance(answer.value, Tensor) and answer.value.requires_grad,
        "args_after": pack(answer.args_after, packing),
        "gradients": pack(list(answer.gradients), packing),
        "parameter_gradients": pack(answer.parameter_gradients, packing),
        "parameters": pack(parameters, packing),
        "breach": answer.breach and pack_failure(answer.breach, packing),
    }


def unpack_answer(data: Any, unpacking: Unpacking, arguments: int) -> Response:
    """Decode an answer from the sandbox to a call with this number of ``arguments``.

    Raises BadMessage unless every part has the expected type and all arguments have been returned.
    """
    if not isinstance(data, dict):
        raise BadMessage("an answer that is not an object")
    parts = {key: unpacking.value(data.get(key)) for key in ("value", "in_training", "args_after", "gradients")}
    unpacking.shapes = math.inf  # a model of any size may be built without numbers
    named = {key: unpacking.value(data.get(key)) for key in ("parameter_gradients", "parameters")}
    if not isinstance(parts["args_after"], tuple) or not _tensors(parts["gradients"]):
        raise BadMessage("an answer with wrong parts")
    if len(parts["args_after"]) != arguments:
        raise BadMessage("an answer without all of the call's arguments")
    if not all(isinstance(tensors, dict) and _tensors(list(tensors.values())) for tensors in named.values()):
        raise BadMessage("an answer with wrong parameters")
    # A table that would be trained is told from one of plain numbers. The result of a module needs no sign.
    if data.get("requires_grad") is True and isinstance(parts["value"], Tensor) and parts["value"].is_floating_point():
        parts["value"].requires_grad_()
    breach = data.get("breach") and unpack_failure(data["breach"], unpacking)
    return Response(**parts, **named, breach=breach or None)


def _tensors(items: Any) -> bool:
    return isinstance(items, list) and all(item is None or isinstance(item, Tensor) for item in items)


def pack_failure(failure: CheckFailure, packing: Packing) -> dict[str, Any]:
    texts = {name: str(getattr(failure, name))[:_LONGEST] for name in _TEXTS}
    return texts | {"received": pack(failure.received, packing)}


#: The causes that the autograder's own code in the sandbox (``runtime/``) reports, each with its hints; ``{}`` stands for a few
#: words.
_CAUSES: dict[str, tuple[str, ...]] = {
    "": (),
    "nothing returned": ("Does the function end in a return statement?",),
    "not written yet": (
        "If you have written it, remove the line raise NotImplementedError(...), and run the cell again.",
    ),
    "does not end, or takes far too long": (
        "Does the loop end for every input? Print what its condition depends on. A loop over single numbers, where one "
        "operation on the whole tensor would do, takes long too.",
    ),
    "not defined": (
        "There is a {}: is the name mistyped?",
        "Run the cell that defines it, or look for an error message under that cell.",
    ),
    "not a module": (),
    "no gradient": (
        "The result has lost its history. Look for .detach(), .data, .item(), .numpy(), torch.tensor(...) or "
        "torch.no_grad() on the way from the inputs to the result, and for steps without a gradient: comparing, counting, "
        "argmax.",
    ),
    "gradients left in the arguments": (
        "A backward() inside the function continues into the arguments. Cut them off with .detach() first.",
    ),
    "input changed in place": (
        "Look for code that writes into {}, the caller's own: an assignment to a part of it, -=, *=, a method whose "
        "name ends in an underscore, and for a list or dictionary append, pop, sort or update. Create a new one "
        "instead.",
    ),
    "mode changed": ("The caller of the module chooses its mode. Remove train() and eval() from forward.",),
    "parameter changed in place": ("Only an optimiser changes parameters. Compute with {}, and leave it as it is.",),
    "default device changed": (
        'Every tensor created afterwards, anywhere in the notebook, gets this device. Use torch.device("meta"), or another '
        "device, in a with statement, which restores the old one at its end.",
    ),
    "default dtype changed": (
        "Every tensor created afterwards, anywhere in the notebook, gets this dtype. Pass dtype=… to the call that "
        "creates the tensor.",
    ),
    "view of a non-contiguous tensor": (
        "The function needs contiguous memory: use .reshape(...) instead of .view(...).",
        "The function needs contiguous memory: call .contiguous() before .view(dtype).",
    ),
    "ready-made function": (
        "This exercise is about what that function does inside. Write the steps yourself; you may compare with it in "
        "a cell of your own.",
    ),
    "another library": (
        "It is graded where {} cannot be imported, because such libraries hold ready-made answers. "
        "Write the steps with PyTorch; you may compare with it in a cell of your own.",
    ),
}


#: The messages of such failures, by cause; "" is for those without a cause.
_MESSAGES: dict[str, tuple[str, ...]] = {
    "": (
        "{name} stopped with an error{where}",
        "The call stopped with an error",
        "The result is far larger than any that was asked for.",
        "A result of {name} has the wrong shape.",
        "{name} has no parameter {name}.",
        "The parameter {name} of {name} has the wrong shape.",
    ),
    "nothing returned": ("Nothing is returned.",),
    "not written yet": ("Not written yet{stub}", "Not written yet ({name}){stub}"),
    "does not end, or takes far too long": ("{name} took longer than {name} seconds and was stopped{where}",),
    "not defined": (
        "There is no {name} yet: no cell that has run defines it.",
        "{name} is not a function or a class.",
    ),
    "not a module": ("{name}(...) should make an nn.Module.",),
    "no gradient": ("No gradient flows back through {name}.",),
    "gradients left in the arguments": ("{name} leaves gradients in its arguments.",),
    "input changed in place": ("{name} has changed its argument {place}.", "{name} has changed its {place}."),
    "mode changed": ("{name} has changed its own mode (training or evaluation).",),
    "parameter changed in place": ("{name} has changed its own parameter {name}.",),
    "default device changed": ("{name} has changed PyTorch's default device.",),
    "default dtype changed": ("{name} has changed PyTorch's default dtype.",),
    "view of a non-contiguous tensor": (
        "{name} stops if an argument is not contiguous in memory, as a transposed one: {name} stopped with an error{where}",
    ),
    "ready-made function": (
        "{name} is not allowed in this exercise.",
        "{name} is not allowed in this exercise (line {name} of your cell).",
    ),
}
_MESSAGES["another library"] = _MESSAGES["ready-made function"]

#: Patterns for names, and for parts of arguments: at most two words, so that no sentence matches.
_PLACE = r"[\w.,'\[\]]{1,80}(?: [\w.,'\[\]]{1,40})?"
_PARTS = {
    "{name}": r"(?:the backward pass through )?[\w.:]{1,200}",
    "{place}": _PLACE,
    "{where}": r"(?: in line \d+(?: of In\[\d+\])?: .*)?",  # followed by the student's own line
    "{stub}": r"(?:\.|: “[^“”]*”)",  # what the line says that the student has to replace
    "{}": _PLACE,
}
#: The expectation of such a failure: one of these, a shape, or names.
_EXPECTED = (
    "all as it was",
    "arguments whose .grad is None, as before",
    "the same result for any order of memory",
)
_SHAPE_OR_NAMES = re.compile(r"(?:\([\d, ]*\)|[\w.]+(?:, [\w.]+)*)?")


def _has_form(text: str, forms: tuple[str, ...]) -> bool:
    """Return whether a text matches one of these sentences, with ``_PARTS`` for their variable parts."""
    patterns = ("".join(_PARTS.get(part) or re.escape(part) for part in re.split(r"({\w*})", form)) for form in forms)
    return any(re.fullmatch(pattern, text) for pattern in patterns)


def _is_ours(texts: Mapping[str, str]) -> bool:
    """Return whether the autograder's own code makes such a failure, in every sentence: a page shows them as the grader's."""
    cause = texts["cause"]
    return (
        cause in _CAUSES
        and _has_form(texts["hint"], ("", *_CAUSES[cause]))
        and _has_form(texts["message"], _MESSAGES[cause])
        and not texts["setting"]
        and (texts["expected"] in _EXPECTED or _SHAPE_OR_NAMES.fullmatch(texts["expected"]) is not None)
    )


def unpack_failure(data: Any, unpacking: Unpacking) -> CheckFailure:
    """Decode a failure. A forged failure can only lose points, but a person reads its texts.

    So they are reduced to single lines without control characters, and any text not from the autograder's own code is shown as a
    statement of the student's code.
    """
    if not isinstance(data, dict):
        raise BadMessage("a failure that is not an object")
    raw = {name: data.get(name, "") for name in _TEXTS}
    texts = {name: _line(text[:_LONGEST]) if isinstance(text, str) else "" for name, text in raw.items()}
    received = unpacking.value(data.get("received"))
    if not _is_ours(texts):
        statement = "; ".join(filter(None, (texts[name] for name in ("message", "cause", "hint", "yours"))))
        return CheckFailure(
            texts["kind"], "The code raises a failure of its own", yours=quotation(statement), received=received
        )
    return CheckFailure(**texts, received=received)


def _line(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


MAX_HEADER = 4 * 2**20
_HEAD = struct.Struct(">IQ")
_AT_ONCE = 2**16  # bytes of a message that is sent in one piece
_POLL = 0.02  # seconds between two calls of ``watch``


class Silence(Exception):
    """No more data: the other side has ended, or the time is up."""


def send(
    connection: socket.socket,
    header: dict[str, Any],
    packing: Packing | None = None,
    watch: Callable[[], None] | None = None,
) -> None:
    """Send one message. ``watch`` is called while the other side does not read; it may raise an exception to give up."""
    text = json.dumps(header, ensure_ascii=True).encode()
    packing = packing or Packing()
    parts = [_HEAD.pack(len(text), packing.size), text, *packing.parts]
    small = len(text) + packing.size < _AT_ONCE  # each piece by itself would wake the other side
    for part in [b"".join(parts)] if small else parts:
        if watch is None:
            connection.sendall(part)
        else:
            _write(connection, memoryview(part), watch)


def _write(connection: socket.socket, data: memoryview, watch: Callable[[], None]) -> None:
    while len(data):
        while not select.select([], [connection], [], _POLL)[1]:
            watch()
        with contextlib.suppress(BlockingIOError):
            data = data[connection.send(data, socket.MSG_DONTWAIT) :]


def receive(
    connection: socket.socket, watch: Callable[[], None] | None = None, most: int = MAX_BODY
) -> tuple[dict[str, Any], bytearray]:
    """Wait for one message and return its header and its body. ``watch`` is called between waits; it may raise an exception to
    give up.

    Raises :class:`Silence` at the end of the stream and :class:`BadMessage` for an invalid message.
    """
    sizes = _read(connection, _HEAD.size, watch)
    header_size, body_size = _HEAD.unpack(sizes)
    if header_size > MAX_HEADER or body_size > most:
        raise BadMessage(f"a message that is too long, of {(header_size + body_size) // 2**20:,} MB")
    text = _read(connection, header_size, watch)
    body = _read(connection, body_size, watch)
    try:
        header = parse_json(bytes(text))
    except (ValueError, RecursionError):
        raise BadMessage("a message that is not JSON") from None
    if not isinstance(header, dict):
        raise BadMessage("a message that is not a JSON object")
    return header, body


def _read(connection: socket.socket, size: int, watch: Callable[[], None] | None) -> bytearray:
    """Read exactly ``size`` bytes. The buffer grows with the data received, not with the announced size."""
    data = bytearray(min(size, 2**16))
    filled = 0
    while filled < size:
        if filled == len(data):
            data.extend(bytes(min(size - filled, max(len(data), 2**16))))
        if watch is not None:
            while not select.select([connection], [], [], _POLL)[0]:
                watch()
        try:
            count = connection.recv_into(memoryview(data)[filled:], flags=0 if watch is None else socket.MSG_DONTWAIT)
        except BlockingIOError:  # urgent data makes a socket look readable when it is not
            time.sleep(_POLL)
            if watch is not None:  # without one the socket waits, and this cannot happen
                watch()
            continue
        except OSError:
            count = 0
        if not count:
            raise Silence("the process has ended")
        filled += count
        if watch is not None and filled < size:
            watch()
    return data


@dataclass(frozen=True)
class SetUp:
    """The settings of one worker.

    ``forbid`` names the functions that it may not call; ``lesson`` is the lesson's package, from which a notebook may import
    ``check``. ``limits`` are those that the kernel enforces per process (:meth:`Limits.inside`). A worker that ``measures``
    "time" or "memory" can have threads but no other process, so that its own use is the whole cost of a call. ``author`` is the
    id for the numbers that ``course_lib.variants`` draws; code inside may change it there, but the checks, outside, do not rely
    on it. ``libraries`` can be imported besides those of the course; None allows all that are installed.
    """

    forbid: tuple[str, ...] = ()
    lesson: str = ""
    threads: int = 1
    limits: Mapping[str, int] = field(default_factory=dict)
    measures: str = ""
    author: str = ""
    libraries: tuple[str, ...] | None = None

    def as_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()


def from_bytes(data: bytes) -> SetUp:
    """Return the settings encoded by :meth:`SetUp.as_bytes`."""
    settings = json.loads(data)
    lists = {name: tuple(settings[name]) for name in ("forbid", "libraries") if settings[name] is not None}
    return SetUp(**settings | lists)
