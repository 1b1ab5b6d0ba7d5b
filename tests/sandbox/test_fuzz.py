"""Fuzzers of what reads a stranger's bytes: messages of the sandbox, notebooks, and archives of many hand-ins.

Nothing but the documented error may be raised. ``FUZZ`` is the number of examples of each, 100 if it is not set.
"""

import contextlib
import datetime
import functools
import io
import json
import os
import socket
import struct
import tempfile
import zipfile
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from known import ASSIGNMENTS, COURSE

from autograder.grading.lms import archives
from autograder.grading.submission import model
from autograder.grading.submission.read import UnsafeSubmission
from autograder.grading.submission.released import released_in
from autograder.runtime.errors import CheckFailure
from autograder.runtime.student import Response
from autograder.runtime.text import parse_json
from autograder.sandbox.inside import protocol

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("FUZZ", "100"))
fuzzed = settings(
    max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=True
)

SIZES = st.one_of(
    st.integers(-2, 20), st.sampled_from([2**31, 2**40, 2**63, 2**70, -(2**63)]), st.booleans(), st.none()
)
TEXTS = st.one_of(st.text(max_size=30), st.sampled_from([*protocol.DTYPES, *protocol._CAUSES, "nan", "meta", "cpu"]))
KINDS = ("tuple", "list", "dict", "dtype", "float", "device", "object", "made", "stand_in", "seeded", "tensor")
TENSORS = st.fixed_dictionaries(
    {"tensor": TEXTS, "shape": st.lists(SIZES, max_size=4), "count": SIZES, "at": SIZES},
    optional={"meta": st.booleans(), "device": TEXTS, "stride": st.lists(SIZES, max_size=4), "offset": SIZES},
)
PLAIN = st.one_of(st.none(), st.booleans(), SIZES, st.floats(), TEXTS, TENSORS)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(KINDS), inner, max_size=2),
        st.dictionaries(st.sampled_from(("tuple", "list")), st.lists(inner, max_size=4), min_size=1, max_size=1),
        st.builds(lambda pairs: {"dict": pairs}, st.lists(st.tuples(TEXTS, inner).map(list), max_size=3)),
    ),
    max_leaves=20,
)
PARTS = ("value", "args_after", "gradients", "parameter_gradients", "parameters", "breach", "in_training")


def valid_frame() -> bytes:
    packing = protocol.Packing()
    breach = CheckFailure("mutated", "f has changed its argument x.", cause="input changed in place")
    answer = Response(
        {"a": (torch.ones(2, 3), 1.5)}, (torch.ones(2),), [torch.ones(2)], {"w": None}, {}, breach, torch.ones(1)
    )
    header = json.dumps({"answer": protocol.pack_answer(answer, packing), "ticket": "t"}).encode()
    body = b"".join(bytes(part) for part in packing.parts)
    return struct.pack(">IQ", len(header), len(body)) + header + body


def mutated(original: bytes):
    """Return a strategy of ``original`` with pieces overwritten, left out and put in."""
    edit = st.tuples(st.integers(0, len(original)), st.integers(0, 8), st.binary(max_size=8))

    def apply(edits):
        data = original
        for place, length, piece in edits:
            data = data[:place] + piece + data[place + length :]
        return data

    return st.lists(edit, min_size=1, max_size=4).map(apply)


@fuzzed
@given(st.one_of(st.binary(max_size=200), mutated(valid_frame())))
def test_bytes_of_the_sandbox_are_an_answer_or_refused(data):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(data)
        theirs.close()
        try:
            header, body = protocol.receive(ours, lambda: None)
            protocol.unpack_answer(header.get("answer"), protocol.Unpacking(body), 1)
        except (protocol.BadMessage, protocol.Silence):
            pass


@fuzzed
@given(st.dictionaries(st.sampled_from(PARTS), VALUES), st.binary(max_size=64))
def test_values_of_the_sandbox_are_bounded_or_refused(parts, body):
    unpacking = protocol.Unpacking(bytearray(body))
    try:
        sent = parse_json(json.dumps(parts))
    except ValueError:  # NaN and numbers without end are no JSON
        return
    try:
        answer = protocol.unpack_answer(sent, unpacking, 0)
    except protocol.BadMessage:
        return
    assert unpacking.nodes <= protocol.MAX_NODES
    assert unpacking.bytes <= 2 * protocol.MAX_BODY
    assert isinstance(answer, Response)


@fuzzed
@given(VALUES, st.binary(max_size=64))
def test_a_failure_of_the_sandbox_is_one_line_or_refused(value, body):
    for data in (value, dict.fromkeys(protocol._TEXTS, value) | {"received": value}):
        try:
            failure = protocol.unpack_failure(data, protocol.Unpacking(bytearray(body)))
        except protocol.BadMessage:
            continue
        assert all(each.isprintable() for each in (failure.message, failure.yours, failure.cause, failure.hint))


CELLS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(st.text(max_size=5), st.sampled_from(["source", "metadata", "nbgrader", "cell_type", "outputs"])),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=15,
)
NOTEBOOK = json.dumps(
    {
        "cells": [
            {
                "cell_type": "code",
                "source": ["def softmax(E): return E\n"],
                "metadata": {"nbgrader": {"grade_id": "softmax", "solution": True}},
                "outputs": [{"x": "é"}],
            },
            {
                "cell_type": "markdown",
                "source": "Text",
                "metadata": {},
                "attachments": {"a.png": {"image/png": "aaaa"}},
            },
        ],
        "metadata": {"kernelspec": {"name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
).encode()


@fuzzed
@given(
    st.one_of(
        st.binary(max_size=100),
        mutated(NOTEBOOK),
        CELLS.map(lambda value: json.dumps(value).encode()),
        st.lists(CELLS, max_size=4).map(lambda cells: json.dumps({"cells": cells}).encode("utf-16")),
        st.lists(CELLS, max_size=4).map(
            lambda cells: json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}).encode()
        ),
        st.lists(CELLS, max_size=4).map(lambda cells: json.dumps({"cells": cells, "nbformat": 4}).encode()),
    )
)
def test_bytes_are_a_notebook_or_a_value_error(data):
    with contextlib.suppress(ValueError):
        model._matched("attention.ipynb", data, released())


@functools.cache
def released():
    return released_in(COURSE, ASSIGNMENTS[0])


NAMES = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.sampled_from(
        ["../../x", "/etc/x", "a//b", "..\\x", "C:\\x", "a/../../b", "a" * 300, "\u202egpj.x", "x\x1b[2J", "."]
    ),
)


def archive_of(files) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content, mode, method in files:
            info = zipfile.ZipInfo(name or "x")
            info.external_attr = mode << 16
            archive.writestr(info, content, method)
    return held.getvalue()


FILES = st.lists(
    st.tuples(
        NAMES,
        st.binary(max_size=50),
        st.sampled_from([0, 0o100644, 0o120777, 0o040755, 0o010644, 0o140777]),
        st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]),
    ),
    max_size=4,
)


@fuzzed
@pytest.mark.filterwarnings("ignore:Duplicate name")
@given(st.one_of(st.binary(max_size=100), FILES.map(archive_of), FILES.map(archive_of).flatmap(mutated)))
def test_bytes_are_an_archive_of_bounded_files_or_refused(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "all.zip")
        path.write_bytes(data)
        skipped: list[tuple[str, str]] = []
        try:
            found = list(archives.entries(path, datetime.UTC, skipped))
        except ValueError:
            return
        for entry in found:
            try:
                inside = archives.safe(entry.path)
                assert len(entry.read(40)) <= 40
                assert Path(folder, inside).resolve().is_relative_to(folder)
            except UnsafeSubmission:
                continue
