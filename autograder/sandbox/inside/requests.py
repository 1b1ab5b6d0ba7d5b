"""Requests, answers and failures as messages. Used on both sides of the boundary."""

from dataclasses import fields
from typing import Any

from torch import Tensor

from autograder.runtime.failure import CheckFailure
from autograder.runtime.student import Answer, Request
from autograder.sandbox.inside.decoding import Unpacking
from autograder.sandbox.inside.encoding import BadMessage, Packing, pack

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


def pack_answer(answer: Answer, packing: Packing) -> dict[str, Any]:
    """Encode the result of a call."""
    return {
        "value": pack(answer.value, packing),
        "args_after": pack(answer.args_after, packing),
        "gradients": pack(list(answer.gradients), packing),
        "parameter_gradients": pack(answer.parameter_gradients, packing),
        "parameters": pack(answer.parameters, packing),
    }


def unpack_answer(data: Any, unpacking: Unpacking, arguments: int) -> Answer:
    """Decode an answer from the sandbox to a call with that many ``arguments``.

    Raises BadMessage unless every part has the expected type, and all arguments have come back.
    """
    if not isinstance(data, dict):
        raise BadMessage("an answer that is not an object")
    parts = {key: unpacking.value(data.get(key)) for key in ("value", "args_after", "gradients")}
    named = {key: unpacking.value(data.get(key)) for key in ("parameter_gradients", "parameters")}
    if not isinstance(parts["args_after"], tuple) or not _tensors(parts["gradients"]):
        raise BadMessage("an answer with wrong parts")
    if len(parts["args_after"]) != arguments:
        raise BadMessage("an answer without all of the call's arguments")
    if not all(isinstance(part, dict) and _tensors(list(part.values())) for part in named.values()):
        raise BadMessage("an answer with wrong parameters")
    return Answer(
        parts["value"], parts["args_after"], parts["gradients"], named["parameter_gradients"], named["parameters"]
    )


def _tensors(things: Any) -> bool:
    return isinstance(things, list) and all(thing is None or isinstance(thing, Tensor) for thing in things)


def pack_failure(failure: CheckFailure, packing: Packing) -> dict[str, Any]:
    texts = {name: str(getattr(failure, name))[:_LONGEST] for name in _TEXTS}
    return texts | {"received": pack(failure.received, packing)}


def unpack_failure(data: Any, unpacking: Unpacking) -> CheckFailure:
    """Decode a failure. Its content needs no check: a forged failure can only lose points."""
    if not isinstance(data, dict):
        raise BadMessage("a failure that is not an object")
    texts = {name: str(data.get(name, ""))[:_LONGEST].encode("utf8", "replace").decode("utf8") for name in _TEXTS}
    return CheckFailure(**texts, received=unpacking.value(data.get("received")))
