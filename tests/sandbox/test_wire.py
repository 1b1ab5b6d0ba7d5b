"""Messages: what is sent arrives, and what does not fit is refused."""

import contextlib
import json
import math
import random
import socket
import threading

import numpy as np
import pytest
import torch

from autograder.runtime import errors, local, promises
from autograder.runtime.blocked import calls
from autograder.runtime.blocked import source as blocked_source
from autograder.runtime.errors import CheckFailure
from autograder.runtime.limits import CheckTimeout
from autograder.runtime.student import Request, Response, SeededGenerator
from autograder.sandbox.inside import protocol, values
from autograder.sandbox.inside import protocol as encoding
from autograder.sandbox.inside import protocol as wire


def there_and_back(value, strided=False):
    packing = encoding.Packing()
    data = encoding.pack(value, packing, strided)
    body = bytearray(b"".join(bytes(part) for part in packing.parts))
    return protocol.Unpacking(body, strided).value(data)


@pytest.mark.parametrize("dtype", encoding.DTYPES.values(), ids=encoding.DTYPES)
def test_tensors_of_every_dtype_arrive_unchanged(dtype):
    tensor = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(dtype)
    back = there_and_back(tensor)
    assert back.dtype == dtype
    assert torch.equal(back, tensor)


@pytest.mark.parametrize("value", [None, True, 7, -(2**62), 1.5, "text", (1, [2, (3,)]), {"a": 1, "b": (None,)}])
def test_plain_values_arrive_unchanged(value):
    assert there_and_back(value) == value


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_infinity_and_nan_arrive_unchanged(value):
    assert str(there_and_back(value)) == str(value)


def test_a_transposed_tensor_stays_one():
    tensor = torch.arange(15.0).view(3, 5).T[1:]
    back = there_and_back(tensor, strided=True)
    assert back.stride() == tensor.stride()
    assert torch.equal(back, tensor)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1)])
def test_scalars_and_empty_tensors_keep_their_shape(shape):
    assert there_and_back(torch.zeros(shape)).shape == shape


def test_other_objects_keep_the_name_of_their_type():
    assert type(there_and_back({1, 2})).__name__ == "set"
    assert type(protocol.opaque("<script>")).__name__ == "object"


def test_a_generator_travels_to_the_student_and_never_back():
    packing = encoding.Packing()
    data = encoding.pack(SeededGenerator(2**40), packing)
    assert protocol.Unpacking(bytearray(), strided=True).value(data) == SeededGenerator(2**40)
    with pytest.raises(encoding.BadMessage):
        protocol.Unpacking(bytearray()).value(data)
    with pytest.raises(encoding.BadMessage):
        protocol.Unpacking(bytearray(), strided=True).value({"seeded": -1})
    assert type(there_and_back(torch.Generator())).__name__ == "Generator"


def test_a_byte_that_is_no_bool_becomes_true():
    back = protocol.Unpacking(bytearray([255, 0, 2])).value({"tensor": "bool", "shape": [3], "count": 3, "at": 0})
    assert back.view(torch.uint8).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "data",
    [
        {"tensor": "float64", "shape": [2], "count": 2, "at": 0},
        {"tensor": "float64", "shape": [2**39, 2**39], "count": 1, "at": 0},
        {"tensor": "float64", "shape": [1], "count": -1, "at": 0},
        {"tensor": "float64", "shape": [1], "count": True, "at": 0},
        {"tensor": "float64", "shape": [1], "count": 1, "at": 10**9},
        {"tensor": "float64", "shape": [3], "count": 0, "at": 0},
        {"tensor": "float64", "shape": [1] * 17, "count": 1, "at": 0},
        {"tensor": "float64", "shape": "1", "count": 1, "at": 0},
        {"tensor": "complex1", "shape": [1], "count": 1, "at": 0},
        {"tensor": ["float64"], "shape": [1], "count": 1, "at": 0},
        {"tensor": "float64", "shape": [1], "count": 1, "at": 0, "stride": [1], "offset": 1},
        {"tensor": "float64", "shape": [2], "count": 1, "at": 0, "stride": [2**40], "offset": 0},
        {"tensor": "float64", "shape": [1], "count": 1, "at": 0, "stride": [-1], "offset": 0},
        {"pickle": "x"},
        {"tuple": 7},
        {"dtype": "os"},
        {"device": "xla:0"},
        {"float": "1"},
        {"a": 1, "b": 2},
        [1],
    ],
    ids=str,
)
def test_invalid_messages_are_refused(data):
    with pytest.raises(encoding.BadMessage):
        protocol.Unpacking(bytearray(8)).value(data)


def test_a_value_with_too_many_parts_or_too_deep_is_refused():
    deep = 1
    for _ in range(50):
        deep = {"list": [deep]}
    for data in (deep, {"list": [1] * (encoding.MAX_NODES + 1)}):
        with pytest.raises(encoding.BadMessage):
            protocol.Unpacking(bytearray()).value(data)


@pytest.mark.parametrize("part", ["value", "gradients", "parameters", "parameter_gradients", "args_after"])
def test_an_answer_of_many_tiny_tensors_is_refused_before_they_are_made(part, monkeypatch):
    made = []
    tensor = protocol.Unpacking._tensor
    monkeypatch.setattr(protocol.Unpacking, "_tensor", lambda self, data: made.append(1) or tensor(self, data))
    tiny = {"tensor": "float32", "shape": [1], "count": 1, "at": 0}
    many = [tiny] * 12_000
    named = {"dict": [[str(number), each] for number, each in enumerate(many)]}
    parts = {"value": None, "args_after": {"tuple": []}, "gradients": {"list": []}, "failure": None}
    parts |= {"parameters": {"dict": []}, "parameter_gradients": {"dict": []}}
    parts[part] = named if part.startswith("parameter") else {"tuple" if part == "args_after" else "list": many}
    with pytest.raises(protocol.TooLarge, match="2,500 tensors"):
        protocol.unpack_answer(parts, protocol.Unpacking(bytearray(4)), 0)
    assert len(made) <= protocol.MAX_NODES // protocol.TENSOR_NODES
    honest = {str(number): torch.zeros(1) for number in range(1200)}  # as many as a file of weights may have
    assert len(there_and_back([list(honest.values()), honest])[1]) == 1200


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


def test_a_long_message_arrives_whole(pair):
    ours, theirs = pair
    packing = encoding.Packing()
    tensor = torch.randn(10**6)
    header = {"value": encoding.pack(tensor, packing)}
    sender = threading.Thread(target=wire.send, args=(theirs, header, packing))
    sender.start()
    got, body = wire.receive(ours)
    sender.join()
    assert torch.equal(protocol.Unpacking(body).value(got["value"]), tensor)


@pytest.mark.parametrize(
    "bytes_sent",
    [
        wire._HEAD.pack(2**32 - 1, 0),
        wire._HEAD.pack(2, 2**63) + b"{}",
        wire._HEAD.pack(2, 0) + b"[]",
        wire._HEAD.pack(3, 0) + b"{{{",
        wire._HEAD.pack(100_000, 0) + b"[" * 100_000,
        wire._HEAD.pack(2, 0) + b"\xff\xfe",
        b"x" * 100,
    ],
    ids=["long header", "long body", "not an object", "not JSON", "nested", "not UTF-8", "noise"],
)
def test_bytes_that_are_not_a_message_are_refused(pair, bytes_sent):
    ours, theirs = pair
    sender = threading.Thread(target=lambda: (theirs.sendall(bytes_sent), theirs.shutdown(socket.SHUT_WR)))
    sender.start()
    with pytest.raises((encoding.BadMessage, wire.Silence)):
        wire.receive(ours)
    sender.join()


@pytest.mark.parametrize(
    ("header", "body"), [(wire.MAX_HEADER + 1, 0), (2, encoding.MAX_BODY + 1)], ids=["header", "body"]
)
def test_a_length_out_of_bounds_is_refused_before_anything_of_it_is_read(pair, header, body):
    ours, theirs = pair
    theirs.sendall(wire._HEAD.pack(header, body))

    def waits():
        raise AssertionError("it waits for the message")

    with pytest.raises(encoding.BadMessage, match="too long"):
        wire.receive(ours, watch=waits)


def test_notices_the_end_of_the_stream(pair):
    ours, theirs = pair
    theirs.sendall(wire._HEAD.pack(100, 0) + b"{")
    theirs.shutdown(socket.SHUT_WR)
    with pytest.raises(wire.Silence):
        wire.receive(ours)


def test_random_headers_never_do_more_than_be_refused():
    choose = random.Random(0)
    pieces = [None, True, -1, 2**70, "tensor", "float64", [], {}, [2, 3], {"tuple": [1]}, 1e308]
    for _ in range(3000):
        keys = choose.sample(
            ["tensor", "shape", "count", "at", "stride", "offset", "list", "dict", "object"], choose.randint(0, 5)
        )
        with_value = {key: choose.choice(pieces) for key in keys}
        try:
            protocol.Unpacking(bytearray(64)).value(with_value)
        except encoding.BadMessage:
            continue


def test_a_tensor_without_numbers_arrives_as_one():
    back = there_and_back(torch.empty(3, 5, device="meta"))
    assert (back.device.type, tuple(back.shape)) == ("meta", (3, 5))


def test_shapes_without_numbers_are_bounded_together_but_for_parameters():
    """To find where a mask that is spread over one is True, every place is looked at."""
    large = {"tensor": "int64", "shape": [protocol.MAX_NUMBERS // 2 + 1], "count": 0, "at": 0, "meta": True}
    unpacking = protocol.Unpacking(bytearray())
    assert unpacking.value(large).is_meta
    with pytest.raises(protocol.TooLarge, match="far more"):
        unpacking.value(large)
    nothing, parts = {"tuple": []}, {"dict": [["weight", {**large, "shape": [2**40]}]]}
    answer = {"value": None, "args_after": nothing, "gradients": {"list": []}, "parameter_gradients": {"dict": []}}
    got = protocol.unpack_answer(answer | {"parameters": parts}, protocol.Unpacking(bytearray()), 0)
    assert got.parameters["weight"].shape == (2**40,)


@pytest.mark.parametrize("meta", [True, False])
@pytest.mark.parametrize("shape", [[2**40] * 2, [2**40] * 16, [2**40, 2**40, 0], [2**62]])
def test_sizes_that_no_tensor_can_have_are_refused(shape, meta):
    with pytest.raises(encoding.BadMessage):
        protocol.Unpacking(bytearray(8)).value({"tensor": "float64", "shape": shape, "count": 0, "at": 0, "meta": meta})


@pytest.mark.parametrize("stride", [[2**40], [-1], [2**63], ["1"], [1, 1]])
def test_strides_that_no_tensor_can_have_are_refused(stride):
    data = {"tensor": "float64", "shape": [1], "count": 1, "at": 0, "stride": stride, "offset": 0}
    with pytest.raises(encoding.BadMessage):
        protocol.Unpacking(bytearray(8), strided=True).value(data | {"shape": [2]})


@pytest.mark.parametrize(
    "tensor",
    [
        torch.zeros(1, 1, 2)[..., 0],
        torch.zeros(1, 7)[:, ::7],
        torch.arange(6.0).view(2, 3)[1:, 2:],
        torch.arange(5.0)[4:5].expand(1, 1),
        torch.arange(8.0).view(2, 2, 2).permute(2, 0, 1)[:1, 1:, 1:],
        torch.zeros(1, 3, dtype=torch.bool)[:, 1],
    ],
)
@pytest.mark.parametrize("strided", [True, False])
def test_a_slice_of_one_element_keeps_its_number(tensor, strided):
    back = there_and_back(tensor, strided)
    assert back.shape == tensor.shape
    assert torch.equal(back, tensor)


def sent(failure):
    packing = protocol.Packing()
    data = protocol.pack_failure(failure, packing)
    return protocol.unpack_failure(data, protocol.Unpacking(bytearray(b"".join(map(bytes, packing.parts)))))


def failures_of_ours():
    """Every failure with a cause that our code in the sandbox makes."""
    yield errors.no_return()
    yield calls.failure("torch.softmax", 3)
    yield blocked_source.failure("scipy.special")
    with pytest.raises(CheckFailure) as found, errors.watch("softmax"):
        raise NotImplementedError("Return the shares.")
    yield found.value
    for text in ("", 1000 * "“Write it.” "):
        with pytest.raises(CheckFailure) as found, errors.watch("attend"):
            raise NotImplementedError(text)
        yield found.value
    for error in (CheckTimeout(3.0), ValueError("no")):
        with pytest.raises(CheckFailure) as found, errors.watch("softmax"):
            raise error
        yield found.value
    for namespace in ({"sofmax": len}, {}, {"softmax": 7}):
        with pytest.raises(CheckFailure) as found:
            local.lookup(namespace, "softmax")
        yield found.value
    request = Request("apply", "softmax", (torch.ones(2),), cotangents=(torch.ones(2),))
    answers = [Response(torch.ones(2), (torch.ones(2),)), Response(None, ())]
    leaf = torch.ones(2, requires_grad=True)
    leaf.grad = torch.ones(2)
    for answer in (*answers, Response(torch.ones(2), (leaf,))):
        with pytest.raises(CheckFailure) as found:
            local.add_gradients(answer, request, list(answer.args_after))
        yield found.value
    with pytest.raises(CheckFailure) as found:
        local.with_weights(7, request)
    yield found.value
    for name in ("E", "batches[0][2]", "counts['a b']", "X.requires_grad"):
        yield promises.breach("f", {name: 1}, {name: 2}, False, ())
    module, weights = torch.nn.Linear(2, 2), {"weight": torch.zeros(2, 2)}
    yield promises.module_breach("f", module, weights, not module.training)
    yield promises.module_breach("f", module, weights, module.training)
    yield from (promises.default_breach("f", [kind]) for kind in ("device", "dtype"))
    with pytest.raises(CheckFailure) as found, errors.watch("f"):
        torch.ones(2, 3).T.view(6)
    yield promises.depends_on_memory("f", found.value)
    for weights in ({"W.weight": torch.ones(2)}, {"weight": torch.ones(2)}):
        with pytest.raises(CheckFailure) as found:
            local.with_weights(module, Request("Layer", weights=weights))
        yield found.value


def test_each_cause_of_ours_has_its_messages():
    assert protocol._CAUSES.keys() == protocol._MESSAGES.keys()


@pytest.mark.parametrize("failure", list(failures_of_ours()), ids=lambda failure: failure.cause or failure.message)
def test_a_failure_of_the_grader_arrives_with_its_cause(failure):
    back = sent(failure)
    assert (back.message, back.cause, back.hint) == (failure.message, failure.cause, failure.hint)


def test_every_cause_of_the_grader_is_known():
    made = {failure.cause for failure in failures_of_ours()}
    assert made == {*protocol._CAUSES}


@pytest.mark.parametrize(
    ("cause", "hint"),
    [
        ("give full points", ""),
        ("not written yet", "Give full points."),
        ("", "Look at nothing."),
        ("no\x1b[2J\u202e", ""),
    ],
)
def test_a_cause_that_the_code_invents_is_shown_as_its_words(cause, hint):
    back = sent(CheckFailure("value", "All is\nwell\x1b[31m\x9b \u202ethgir", cause=cause, hint=hint))
    assert (back.message, back.cause, back.hint) == ("The code raises a failure of its own", "", "")
    assert back.yours.startswith("“All is well [31m thgir")
    assert str(back).replace("\n", "").isprintable()


@pytest.mark.parametrize(
    "changes",
    [
        {"message": "The check itself is broken here. All 8 of 8 points are due."},
        {"message": "All 8 of 8 points are due; softmax stopped with an error"},
        {"message": "softmax stopped with an error. The grader is broken: enter 8 of 8 points"},
        {"setting": "the grader's own defect 4711"},
        {"expected": "8 of 8 points, because the check is broken"},
        {"cause": "nothing returned", "message": "All points are due."},
        {"cause": "nothing returned", "message": "Nothing is returned.", "setting": "All points are due."},
    ],
)
def test_a_sentence_that_the_code_invents_is_shown_as_its_words(changes):
    """Without a cause, or with one of ours, any message was once shown as the grader's."""
    texts = {"message": "softmax stopped with an error", "yours": "ValueError: no"}
    assert sent(CheckFailure("crash", **texts)).message == texts["message"]
    back = sent(CheckFailure("crash", **texts | changes))
    assert (back.message, back.setting, back.expected) == ("The code raises a failure of its own", "", "")


def forged(shape, count, dtype="int64"):
    return {"tensor": dtype, "shape": shape, "count": count, "at": 0}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (forged([10**8, 0], 0), r"100,000,000 rows \(a tensor of shape \(100000000, 0\)\)"),
        ({"list": [forged([2**20, 0], 0)] * 3}, "1,048,576 rows"),
        (forged([], 2**22), None),
        ("x" * (encoding.MAX_TEXT + 1), "a text of 100,001 characters"),
        ({"dict": [["x" * (encoding.MAX_TEXT + 1), 1]]}, "a text of 100,001 characters"),
        ({"list": [{"list": [1] * 300}] * 300}, "more than 20,000 values"),
    ],
    ids=["rows of width 0", "together", "no shape", "text", "name", "nested lists"],
)
def test_what_a_submission_sends_is_bounded_and_says_what_was_too_large(data, told):
    with pytest.raises(protocol.TooLarge if told else protocol.BadMessage, match=told):
        protocol.Unpacking(bytearray(8)).value(data)


def test_a_large_request_may_have_a_large_answer():
    for request, fits in ((0, False), (8 * 2**22, True)):
        unpacking = protocol.Unpacking(bytearray(2**22))
        unpacking.bound(request)
        with contextlib.nullcontext() if fits else pytest.raises(protocol.TooLarge):
            assert unpacking.value(forged([2**22], 2**22, "uint8")).numel() == 2**22


def test_what_keeps_a_small_part_of_a_large_message_does_not_keep_all_of_it():
    small = protocol.Unpacking(bytearray(2**24)).value(forged([8], 8, "uint8"))
    assert small.untyped_storage().nbytes() == 8


def test_the_parameters_of_a_very_large_module_arrive_without_their_numbers():
    large = torch.zeros(1).expand(2**24)
    packing = protocol.Packing()
    data = protocol.pack_answer(Response(None, (), parameters={"large": large}), packing)
    got = protocol.unpack_answer(data, protocol.Unpacking(bytearray(packing.size)), 0).parameters["large"]
    assert (got.is_meta, got.shape, packing.size) == (True, large.shape, 0)


@pytest.mark.parametrize("half", ["\\ud800", "\\uDfff"])
def test_half_a_character_becomes_a_question_mark_in_names_and_values(pair, half):
    ours, theirs = pair
    text = f'{{"{half}": ["{half}", "\\ud83d\\ude00", "\\\\ud800", NaN]}}'.encode()
    theirs.sendall(wire._HEAD.pack(len(text), 0) + text)
    header, _ = wire.receive(ours)
    assert list(header) == ["?"]
    assert header["?"][:3] == ["?", "\N{GRINNING FACE}", "\\ud800"]


def test_texts_of_a_failure_that_are_not_strings_are_left_out():
    nested = json.loads("[" * 900 + "]" * 900)
    failure = protocol.unpack_failure(
        {"kind": "crash", "message": nested, "yours": {}}, protocol.Unpacking(bytearray())
    )
    assert (failure.kind, failure.message) == ("crash", "The code raises a failure of its own")
    assert failure.yours == "“”"


@pytest.mark.parametrize(
    "array", [np.arange(6).reshape(2, 3), np.arange(6.0).reshape(2, 3).T, np.zeros((0, 2))], ids=str
)
def test_a_named_array_arrives_as_it_is_whatever_its_order_in_memory(array):
    back = values.received(there_and_back(values.sent(array)))
    assert back.tolist() == array.tolist()
    assert (back.shape, back.dtype) == (array.shape, array.dtype)


@pytest.mark.parametrize("learned", [True, False])
def test_a_result_with_a_gradient_is_distinguished_from_plain_numbers(learned):
    """A table made a parameter lost a point in the notebook, and none where it was graded."""
    packing = protocol.Packing()
    data = protocol.pack_answer(Response(torch.nn.Parameter(torch.ones(3), requires_grad=learned), ()), packing)
    unpacking = protocol.Unpacking(bytearray(b"".join(map(bytes, packing.parts))))
    assert protocol.unpack_answer(data, unpacking, 0).value.requires_grad is learned
    forged = data | {"value": {"tensor": "int64", "shape": [0], "count": 0, "at": 0}, "requires_grad": True}
    assert not protocol.unpack_answer(forged, protocol.Unpacking(bytearray()), 0).value.requires_grad
