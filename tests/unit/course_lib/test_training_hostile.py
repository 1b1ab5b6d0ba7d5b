"""Checkpoints that a stranger has made: each gets a CheckpointError, nothing runs, and no memory is taken for claims."""

import io
import json
import os
import pickle
import random
import resource
import struct

import pytest
import safetensors.torch
import torch
from small_training import make_model, same, state_of

from course_lib.training import CheckpointError, load_checkpoint, save_checkpoint
from course_lib.training.files import MAX_HEADER


class Payload:
    """What a pickle can do: call any function when it is opened."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (str(self.trace),)


def put(path, header, data=b"", length=None):
    """Write a file with any header (text or something for JSON), and any claim about its length."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)
    return path


def refused(path, **options):
    model = make_model()
    before = state_of(model)
    with pytest.raises(CheckpointError) as error:
        load_checkpoint(path, model, **options)
    assert same(state_of(model), before)
    return str(error.value)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize("way", ["zip", "old", *range(2, pickle.HIGHEST_PROTOCOL + 1)])
def test_a_pickle_is_not_opened(tmp_path, path, way):
    trace = tmp_path / "the payload ran"
    if isinstance(way, int):
        path.write_bytes(pickle.dumps(Payload(trace), protocol=way))
    else:
        torch.save({"0.weight": Payload(trace)}, path, _use_new_zipfile_serialization=way == "zip")
    told = refused(path)
    assert not trace.exists()
    assert "got a pickle, as torch.save writes it" in told
    assert "was not opened" in told
    assert "save_checkpoint(model, path)" in told
    if isinstance(way, int):  # and the payload is a real one
        pickle.loads(path.read_bytes())
    else:
        torch.load(io.BytesIO(path.read_bytes()), weights_only=False)
    assert trace.exists()


@pytest.mark.parametrize("length", [2**60, 2**63, 2**64 - 1, MAX_HEADER + 1, 100])
def test_refuses_a_header_longer_than_the_file(path, length):
    told = refused(put(path, {}, length=length))
    assert f"but it claims {length:,}" in told
    assert "damaged or was cut off" in told


def test_refuses_a_header_over_the_limit(path):
    told = refused(put(path, b"{}" + b" " * MAX_HEADER))
    assert f"at most {MAX_HEADER:,} bytes" in told


def test_a_header_as_long_as_a_pickle_begins_is_no_pickle(path):
    """A length of 0x0280 is written as the two bytes with which a pickle of protocol 2 begins."""
    values = torch.ones(3)
    header = json.dumps({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}})
    put(path, header.ljust(0x0280).encode(), values.numpy().tobytes())
    assert path.read_bytes().startswith(b"\x80\x02")
    assert torch.equal(load_checkpoint(path).weights["a"], values)


@pytest.mark.parametrize("shape", [[4] + [1] * 64, [2**60], [2**31, 2**31, 2**31], [2**64, 2], [-1], [1.5], "x", None])
def test_refuses_tensors_of_false_shapes(path, shape):
    header = {"0.weight": {"dtype": "F32", "shape": shape, "data_offsets": [0, 16]}}
    assert "got a damaged one" in refused(put(path, header, bytes(16)))


@pytest.mark.parametrize("offsets", [[0, 2**60], [8, 0], [-8, 16], [0, 8], [4, 20], None])
def test_refuses_tensors_at_false_offsets(path, offsets):
    header = {"0.weight": {"dtype": "F32", "shape": [4], "data_offsets": offsets}}
    assert "got a damaged one" in refused(put(path, header, bytes(16)))


def test_an_empty_tensor_may_claim_anything_without_harm(path):
    header = {"0.weight": {"dtype": "F32", "shape": [0, 2**60], "data_offsets": [0, 0]}}
    refused(put(path, header))


@pytest.mark.parametrize(
    "header",
    [
        b"{",
        b"{}}",
        b"[]",
        b'{"a": 1}',
        b'{"__metadata__": 7}',
        b'{"__metadata__": {"a": 7}}',
        b'{"a":' * 10**5,
        b"{\xff\xfe}",
        b'{"a": {"dtype": "F99", "shape": [], "data_offsets": [0, 0]}}',
    ],
)
def test_refuses_malformed_headers(path, header):
    refused(put(path, header))


@pytest.mark.parametrize(
    "data", [b"", b"{", b"{" * 9, b"\0" * 8, b"\0" * 100, b"\x89PNG\r\n\x1a\n" * 9, b"import os\n" * 9]
)
def test_refuses_files_of_other_formats(path, data):
    path.write_bytes(data)
    told = refused(path)
    assert "Expected" in told
    assert "Save the model again" in told


@pytest.mark.parametrize(
    "ours",
    [
        "7",
        "[]",
        '{"metadata": 7}',
        '{"training": []}',
        '{"aliases": 7}',
        '{"aliases": {"a": "b"}}',
        '{"aliases": {"a": 7}}',
        '{"aliases": {"a": ["b"]}}',
        "[" * 10**5,
        "1" * 10**5,
        "no JSON",
    ],
)
def test_foreign_metadata_is_refused(path, ours):
    safetensors.torch.save_file(state_of(make_model()), path, {"course_lib": ours})
    told = refused(path)
    assert "as save_checkpoint writes it" in told or "to name the tensor it is tied to" in told


def test_metadata_may_nest_as_deeply_as_it_likes(path):
    safetensors.torch.save_file(state_of(make_model()), path, {"deep": "[" * 10**5})
    assert load_checkpoint(path, make_model()).metadata == {"deep": "[" * 10**5}


def test_every_cut_file_is_refused(path):
    save_checkpoint(make_model(), path)
    whole = path.read_bytes()
    for end in range(0, len(whole), 13):
        path.write_bytes(whole[:end])
        refused(path)


def test_any_damage_is_an_error_or_a_file_that_still_fits(path):
    save_checkpoint(make_model(), path, note="x")
    whole, dice, refusals = path.read_bytes(), random.Random(1729), 0
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(dice.randint(1, 4)):
            data[dice.randrange(len(data) // 2)] = dice.randrange(256)
        path.write_bytes(data)
        try:
            load_checkpoint(path, make_model())
        except CheckpointError:
            refusals += 1
    assert refusals > 200


def test_a_file_that_is_too_large_is_not_read(path):
    save_checkpoint(make_model(), path)
    size = path.stat().st_size
    load_checkpoint(path, make_model(), max_bytes=size)
    told = refused(path, max_bytes=size - 1)
    assert f"at most {size - 1:,} bytes, got {size:,}" in told
    assert "Nothing of it was read" in told


def test_a_gigantic_file_takes_no_memory(path):
    with path.open("wb") as file:
        file.truncate(2**40)  # full of holes: it takes no room on the disk either
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "got 1,099,511,627,776 in" in refused(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 10_000  # kB


def test_refuses_a_missing_file_a_folder_and_a_pipe(tmp_path, path):
    assert "cannot be opened: No such file" in refused(path)
    assert "got a folder, a pipe or a device" in refused(tmp_path)
    os.mkfifo(path)
    assert "got a folder, a pipe or a device" in refused(path)
    assert "got a folder, a pipe or a device" in refused("/dev/zero")
