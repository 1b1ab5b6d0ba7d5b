"""What a report keeps of an answer is small."""

import gc
import json
import os
import weakref

import pytest
import torch

from autograder.content import notebook
from autograder.grading.submission import read
from autograder.nbgrader_plugins.page_content import shorten_paths
from autograder.runtime.errors import CheckFailure, PartialCredit, from_exception
from autograder.sandbox.outside.imports import scripts_run


class Received(list):
    """A list to which there can be weak references."""


def raised(error):
    """Return an error from a call that holds what it received, and a reference to that."""

    def check():
        received = Received([1])
        held.append(weakref.ref(received))
        try:
            raise ValueError(len(received))
        except ValueError:
            raise error  # noqa: B904 - the earlier error stays with it

    held = []
    try:
        check()
    except Exception as caught:
        return caught, held[0]


@pytest.mark.parametrize(
    "error",
    [CheckFailure("value", "wrong"), PartialCredit(0.5, CheckFailure("value", "wrong")), KeyError("a")],
    ids=lambda error: type(error).__name__,
)
def test_a_failure_does_not_keep_what_the_check_received(error):
    caught, received = raised(error)
    assert received() is not None, "the call's variables are still there"
    failure = from_exception(caught)
    gc.collect()
    assert received() is None
    assert failure.__traceback__ is None


def test_a_failure_keeps_short_texts_and_the_beginning_of_a_large_tensor():
    numbers = torch.zeros(2**21, dtype=torch.float64)
    failure = from_exception(
        CheckFailure("value", "x" * 10**6, yours="y" * 10**6, received=numbers, wanted=numbers[:8])
    )
    assert max(len(line) for line in failure.lines()) < 2_100
    assert failure.received.untyped_storage().nbytes() == 8 * 2**20
    assert failure.wanted.untyped_storage().nbytes() == 8 * 8


def test_what_a_failure_quotes_makes_no_line_of_its_own():
    """A check of names quotes the text that the student's function returns."""
    quoted = "\x1b[2J\x9b\u202e\u2028a name\n✓ Every row is right          7 of 7"
    failure = from_exception(CheckFailure("name", "It gets another name.", expected="W.weight", yours=quoted))
    assert len(failure.lines()) == len("\n".join(failure.lines()).splitlines()) == 3
    assert failure.yours.isprintable()
    assert failure.yours.endswith("a name ✓ Every row is right          7 of 7")


def test_a_failure_within_bounds_is_kept_as_it_is():
    numbers = torch.arange(6.0).view(2, 3)
    failure = CheckFailure("value", "wrong", yours="[ 1, 2 ]", received=numbers, wanted=numbers)
    assert from_exception(failure) is failure
    assert failure.received is numbers
    assert failure.yours == "[ 1, 2 ]"


def test_a_large_notebook_of_format_3_is_not_converted():
    cells = [{"cell_type": "markdown", "source": ""}] * (notebook.MOST_CELLS + 1)
    old = {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}
    with pytest.raises(ValueError, match="2,001 cells"):
        notebook.parse(json.dumps(old).encode(), "old.ipynb")


@pytest.mark.parametrize("level", [10**9, 7, 0, -1, 2.5, "2", None])
def test_a_heading_of_format_3_has_one_of_six_levels(level):
    cells = [{"cell_type": "heading", "source": "Title", "level": level}] * 5
    old = {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}
    read = notebook.parse(json.dumps(old).encode(), "old.ipynb")["cells"]
    assert [cell["source"] for cell in read] == ["###### Title"] * 5
    old["worksheets"][0]["cells"] = [{"cell_type": "heading", "source": "Title", "level": 2}]
    assert notebook.parse(json.dumps(old).encode(), "old.ipynb")["cells"][0]["source"] == "## Title"


@pytest.mark.parametrize("cells", ["text", [1], [[]], 5, None, {"a": 1}])
def test_malformed_cells_of_format_3_are_refused(cells):
    old = {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}
    with pytest.raises(ValueError, match=r"old\.ipynb"):
        notebook.parse(json.dumps(old).encode(), "old.ipynb")


def test_half_a_character_in_a_cell_becomes_a_question_mark():
    [cell] = notebook.parse(b'{"cells": [{"source": "x = \'\\ud800\'"}]}', "a.ipynb")["cells"]
    assert cell["source"] == "x = '?'"


def test_a_file_whose_name_is_not_utf8_is_read(tmp_path):
    (tmp_path / "a.ipynb").write_text('{"cells": []}')
    (tmp_path / os.fsdecode(b"\xdcbung.txt")).write_text("text")
    assert read.read(tmp_path).files == {"\N{REPLACEMENT CHARACTER}bung.txt": b"text"}
    (tmp_path / os.fsdecode(b"\xddbung.txt")).write_text("text")
    with pytest.raises(read.UnsafeSubmission, match="two files"):
        read.read(tmp_path)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("%run helper.py", ["helper.py"]),
        ("x = 1\n  %run -i 'my/helper.py';\n%run other.py 3", ["my/helper.py", "other.py"]),
        ("%running a.py\n%run\n%run notebook.ipynb", []),
    ],
)
def test_finds_the_scripts_that_a_cell_runs(text, names):
    assert scripts_run(text) == names


def test_the_folders_of_packages_are_left_out_of_a_page():
    output = {"text": "/opt/venv/lib/python3.12/site-packages/torch/nn.py, a/b and /course/x", "data": {}}
    shorten_paths(output, "/course")
    assert output["text"] == "…/torch/nn.py, a/b and …/x"
