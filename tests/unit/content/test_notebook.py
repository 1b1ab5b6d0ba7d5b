"""Which cells of a notebook are run, and how."""

import contextlib
import json
import os
import time
import tracemalloc

import pytest

from autograder.content import notebook


@pytest.fixture
def content(root):
    """The solution."""
    return notebook.read(root / "solutions" / "01-attention" / "attention.ipynb")


def test_an_experiment_that_the_student_changed_is_run_only_where_something_needs_it(content):
    """One that a student has made longer must not use up the time for the exercises."""
    [changed, *_] = [c for c in content["cells"] if "experiment" in c["metadata"].get("tags", [])]
    changed["source"] = "helper = 1729"
    own = {"cell_type": "code", "metadata": {}, "source": "print(helper)"}
    assert notebook.dependencies([changed]) == [False]
    assert notebook.dependencies([changed, own]) == [True, True]


def test_an_exercise_that_was_written_into_an_experiment_is_run(content):
    [changed, *_] = [c for c in content["cells"] if "experiment" in c["metadata"].get("tags", [])]
    [check] = [c for c in content["cells"] if notebook.grade_id(c) == "check-softmax"]
    changed["source"] = "def softmax(E, dim=-1):\n    return torch.softmax(E, dim)"
    assert notebook.dependencies([changed, check]) == [True, False]


def test_magics_await_and_plots_run(tmp_path, monkeypatch):
    lines = [
        "%matplotlib inline",
        "import matplotlib.pyplot as plt; plt.plot([1]); plt.show()",
        "x = await __import__('asyncio').sleep(0, 5)",
    ]
    cells = [{"cell_type": "code", "metadata": {}, "source": [line]} for line in lines]
    (tmp_path / "x.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}), encoding="utf8")
    monkeypatch.delenv("MPLBACKEND", raising=False)
    before = dict(os.environ)
    run = notebook.run(tmp_path / "x.ipynb")
    assert run.errors == []
    assert run.namespace["x"] == 5
    assert dict(os.environ) == before  # kernels started later show their figures


def test_an_untouched_experiment_is_run_where_a_changed_cell_needs_it():
    experiment = "helper = 1729"
    given = {
        "cell_type": "code",
        "metadata": {"course": {"experiment": notebook.fingerprint(experiment)}},
        "source": experiment,
    }
    unused = {
        **given,
        "source": "other = 1",
        "metadata": {"course": {"experiment": notebook.fingerprint("other = 1")}},
    }
    own = {"cell_type": "code", "metadata": {}, "source": "%matplotlib inline\ndef answer():\n    return helper"}
    local = {"cell_type": "code", "metadata": {}, "source": "def answer(helper):\n    return helper"}
    assert notebook.dependencies([given, unused, own]) == [True, False, True]
    assert notebook.dependencies([given, unused, local]) == [False, False, True]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (b'{"a": [1, 2, [3]], "b": {}}', 7),
        (rb'"[[,,{{", "\"[,", ""', 2),
        (rb'"\"\"\"[[[' + b"," * 9, 0),  # an end of a text that never comes
    ],
)
def test_values_are_counted_before_they_are_made(monkeypatch, text, parts):
    monkeypatch.setattr(notebook, "_MOST_PARTS", 3)
    assert notebook._parts(text) == parts


def test_a_hostile_text_is_searched_for_values_in_linear_time():
    began = time.process_time()
    notebook._parts(rb"\"" * 3_000_000)
    assert time.process_time() - began < 5


EMOJI = "\N{GRINNING FACE}"


def file_of(cell, size=0):
    """A file with this cell, in which each X stands for a text of this many bytes."""
    text = json.dumps({"cells": [cell], "metadata": {}}, ensure_ascii=False)
    return text.replace("X", "x" * size).encode()


@pytest.mark.parametrize(
    "outputs",
    [
        [],
        [{"text": "X"}],
        [{"text": ['a "quoted" [bracket', "back\\", EMOJI]}, [[]]],
        [{"data": {"outputs": [[1], {"outputs": []}]}}],
    ],
)
def test_outputs_are_left_out_and_all_else_is_kept(outputs):
    cell = {"cell_type": "code", "outputs": outputs, "source": ['say("outputs")', '"outputs": [ "]', EMOJI]}
    assert notebook.parse(file_of(cell, 3), "n")["cells"] == [cell | {"outputs": []}]


@pytest.mark.parametrize("outputs", ['[{"text": "', "[" * 50, '["a", [}', "]", '"[]", "outputs": [1'])
def test_outputs_without_an_end_are_no_notebook(outputs):
    data = file_of({"outputs": "HERE"}).replace(b'"HERE"', outputs.encode())
    with pytest.raises(ValueError, match="not a Jupyter notebook"):
        notebook.parse(data, "n")


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ({"outputs": [{"text": "X"}], "source": f"# {EMOJI}"}, None),
        ({"outputs": [], "source": f"# {EMOJI} X"}, "beside its outputs and pictures"),
        ({"attachments": {f"{n}.png": {"image/png": "X"} for n in range(4)}, "source": "√, →"}, None),
        ({"outputs": [], "source": f"# {EMOJI * 2**19}"}, "more than 1 MB"),
        ({"attachments": {"X": {"image/png": "X"}}, "source": "√-" * 2000}, "beside its outputs and pictures"),
        ({"outputs": [], "source": "# HALF X"}, "beside its outputs and pictures"),
        ({"outputs": ["BRACKETS"], "source": ""}, "lists in its outputs"),
        ({"outputs": [], "metadata": ["BRACKETS"]}, "values beside its outputs"),
    ],
    ids=[
        "in an output",
        "in a cell",
        "pictures",
        "many in a cell",
        "many places",
        "half a character",
        "lists",
        "lists elsewhere",
    ],
)
def test_a_large_file_takes_little_more_memory_than_its_bytes(monkeypatch, cell, told):
    """One emoji makes each character of a text take four bytes, and a list of two bytes takes eighty."""
    for name, value in {
        "_MOST_BYTES": 2**20,
        "_MOST_PLACES": 1000,
        "_MOST_PARTS": 10_000,
        "_MOST_BRACKETS": 100_000,
    }.items():
        monkeypatch.setattr(notebook, name, value)
    data = file_of({"metadata": {}} | cell, 4 * 2**20)
    data = data.replace(b'"BRACKETS"', b"[]," * 300_000 + b"1").replace(b"HALF", rb"\ud800")
    tracemalloc.start()
    try:
        with contextlib.nullcontext() if told is None else pytest.raises(ValueError, match=told):
            notebook.parse(data, "n")
        assert tracemalloc.get_traced_memory()[1] < 4 * len(data)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "odd",
    [
        *(None, 5, "x", [], {}),
        {"cell_type": "code", "source": None, "metadata": None},
        {"cell_type": "code", "source": 5, "metadata": {}},
        {"cell_type": "code", "source": ["a = 1\n", None, "b = 2"], "metadata": {}},
        {"cell_type": "code", "source": "x", "metadata": {"nbgrader": 5}},
        {"cell_type": None, "source": "x", "metadata": {"nbgrader": None}},
    ],
)
def test_an_odd_cell_costs_no_other(odd):
    good = {"cell_type": "code", "source": ["def f():\n", "    pass"], "metadata": {"nbgrader": {"grade_id": "f"}}}
    cells = notebook.parse(json.dumps({"cells": [odd, good]}).encode(), "hers.ipynb")["cells"]
    assert [notebook.grade_id(cell) for cell in cells][-1] == "f"
    assert notebook.source(cells[-1]) == "def f():\n    pass"
    assert len(cells) == 1 + isinstance(odd, dict)
    assert isinstance(notebook.source(cells[0]), str)
    assert not notebook.is_check(cells[0])


@pytest.mark.parametrize("sign", ["\u2028", "\x0c", "\x0b", "\x1c", "\x85"])
def test_what_python_reads_as_one_line_stays_one(sign):
    """``str.splitlines`` would cut the string in two, and the cell would not be Python any more."""
    text = f's = "a{sign}b"\n%matplotlib inline\ndef softmax(E):\n    return E'
    tree = notebook.syntax_tree(text)
    assert [node.lineno for node in tree.body] == [1, 3]
    assert notebook.bound_names(text)[0] == {"s", "softmax"}
