"""``check`` in a real kernel: what a student sees, and what nbgrader reads."""

import inspect
import re
import tempfile

import nbformat
import pytest
from nbclient import NotebookClient
from nbgrader.utils import determine_grade

import autograder
from autograder import check, model_answer, practice, progress
from autograder.lessons.attention import check as lesson_check
from autograder.notebook.errors import unknown_name
from autograder.notebook.history import History
from autograder.sandbox.inside import notebook_stub

SETUP = (
    "import math\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nfrom autograder import check"
)


def run(*cells, folder=None):
    """Run cells in a fresh kernel, in a folder of its own, and return them with their outputs."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in (SETUP, *cells)])
    with tempfile.TemporaryDirectory() as place:
        at = {"metadata": {"path": str(folder or place)}}
        NotebookClient(notebook, timeout=300, kernel_name="python3", allow_errors=True, resources=at).execute()
    return notebook.cells[1:]


def grade(cell, points):
    cell.metadata["nbgrader"] = {"grade": True, "solution": False, "points": points, "grade_id": "x"}
    return determine_grade(cell)[0]


NOISY = """
import warnings, sys, os
def softmax(E, dim=-1):
    warnings.warn("a warning"); print("to stderr", file=sys.stderr); os.write(2, b"below python")
    W = torch.exp(E - E.amax(dim, keepdim=True))
    return W / W.sum(dim, keepdim=True)
"""


@pytest.fixture(scope="module")
def cells():
    return run(
        NOISY,
        'check("softmax")',
        "def attend(q, X):\n    a = torch.softmax(X @ q / len(q) ** 0.5, 0)\n    return a @ X, a",
        'check("attend", seed=5)',
        'check("causal_mask")',
        'check("casual_mask")',
        'x = check("softmax")\nisinstance(x, float), x + 1',
    )


def test_a_right_answer_with_warnings_earns_everything(cells):
    assert not [o for o in cells[1].outputs if o.output_type == "stream"], cells[1].outputs
    assert grade(cells[1], 7) == 7


def test_a_wrong_answer_earns_a_part_and_shows_a_table_with_a_text_twin(cells):
    [table] = [o for o in cells[3].outputs if o.output_type == "display_data"]
    assert "Likely cause: " in table.data["text/plain"]
    assert "<table" in table.data["text/html"]
    assert "seed 5" in table.data["text/plain"]
    assert 0 < grade(cells[3], 6) < 6


def test_nothing_written_earns_nothing(cells):
    assert grade(cells[4], 5) == 0


def test_a_mistyped_name_is_an_error_of_one_line_with_the_right_one(cells):
    [error] = [o for o in cells[5].outputs if o.output_type == "error"]
    assert error.evalue == "There is no exercise 'casual_mask'. Did you mean check(\"causal_mask\")?"
    assert error.traceback == [error.evalue]


def test_reports_a_name_that_is_no_string():
    def causal_mask():
        """As defined in a notebook."""

    known = ("softmax", "causal_mask")
    assert unknown_name(causal_mask, known) == 'Expected the name of an exercise, in quotes: check("causal_mask").'
    assert unknown_name(3, known) == 'Expected the name of an exercise, in quotes: check("softmax").'
    assert unknown_name("x", known) == "There is no exercise 'x'. Expected one of: softmax, causal_mask."


def test_the_points_are_a_float(cells):
    assert [o.data["text/plain"] for o in cells[6].outputs if o.output_type == "execute_result"] == ["(True, 8.0)"]


def test_no_number_is_shown_below_the_table_while_nbgrader_reads_it(cells):
    [result] = [o for o in cells[1].outputs if o.output_type == "execute_result"]
    assert result.data == {"text/plain": "7.0", "text/html": ""}


def test_the_line_that_moves_is_replaced_by_the_table(cells):
    tables = [o.data for o in cells[1].outputs if o.output_type == "display_data"]
    assert len(tables) == 1
    assert "Checking" not in tables[0]["text/plain"]
    assert "<progress" not in tables[0]["text/html"]


@pytest.mark.slow
def test_the_next_report_says_what_the_last_change_fixed(tmp_path):
    """The history lies beside the notebook, so a restarted kernel knows it as well."""
    run("def softmax(E, dim=-1):\n    return torch.sigmoid(E)", 'check("softmax")', folder=tmp_path)
    found = run(RIGHT, 'check("softmax")', folder=tmp_path)
    assert "Your last change mended “exp(E), divided by its sum over the last dimension”" in text_of(found[1])
    kept = History(tmp_path, "attention").entries()
    assert [entry.earned for entry in kept] == [1.0, 7.0]
    assert kept[1].text == RIGHT
    assert kept[0].kernel != kept[1].kernel


def test_an_earlier_exercise_that_was_spoilt_after_it_passed_still_costs_points_once():
    scaled = "/ math.sqrt(Q.shape[-1])"
    attention = (
        "def scaled_dot_product_attention(Q, K, V, allowed=None):\n"
        f"    E = Q @ K.mT {scaled}\n"
        "    allowed = torch.ones_like(E, dtype=torch.bool) if allowed is None else allowed.expand_as(E)\n"
        "    A = torch.softmax(E.masked_fill(~allowed & allowed.any(-1, keepdim=True), -math.inf), -1)\n"
        "    A = A.masked_fill(~allowed, 0.0)\n"
        "    return A @ V, A"
    )
    layer = (
        "class SelfAttention(nn.Module):\n"
        "    def __init__(self, D_X, D_Q, D_V):\n"
        "        super().__init__()\n"
        "        self.W_Q, self.W_K, self.W_V = (nn.Linear(D_X, D, bias=False) for D in (D_Q, D_Q, D_V))\n"
        "    def forward(self, X, allowed=None):\n"
        "        return scaled_dot_product_attention(self.W_Q(X), self.W_K(X), self.W_V(X), allowed)"
    )
    check = 'check("scaled_dot_product_attention")'
    found = run(attention, check, layer, attention.replace(scaled, ""), 'check("SelfAttention")')
    assert grade(found[1], 14) == 14
    [table] = [o.data["text/plain"] for o in found[4].outputs if o.output_type == "display_data"]
    assert "a right scaled_dot_product_attention in place of yours" in table


def text_of(cell):
    return "\n".join(o.data["text/plain"] for o in cell.outputs if o.output_type == "display_data")


ENDLESS = "def softmax(E, dim=-1):\n    while True:\n        pass"
QUICK = "from autograder.runtime import limits\nusual = limits.check_timeout\nlimits.check_timeout = lambda: usual(1.0, 0.2)"


@pytest.mark.slow
def test_an_answer_that_does_not_end_is_stopped_and_its_line_and_cell_are_named():
    found = run(QUICK, ENDLESS, 'check("softmax", seed=1)')
    told = text_of(found[2])
    assert re.search(
        r"softmax took longer than 1 seconds and was stopped in line [23] of In\[3\]: (while True:|pass)", told
    )
    assert "Likely cause: does not end" in told
    assert grade(found[2], 7) == 0


#: Presses the button as soon as the answer runs, however busy the machine is.
STOP = """
import os, signal, sys, threading, time

def running(frame):
    if frame is None:
        return False
    code = frame.f_code
    return code.co_name == "softmax" and "ipykernel" in code.co_filename or running(frame.f_back)

def stop():
    while not running(sys._current_frames()[threading.main_thread().ident]):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=stop).start()
"""


@pytest.mark.slow
def test_the_stop_button_tells_the_line_without_our_own_frames():
    found = run(ENDLESS, STOP + 'check("softmax")')
    [error] = [o for o in found[1].outputs if o.output_type == "error"]
    [line] = error.traceback
    assert re.fullmatch(r"You stopped the check of softmax in line [23] of In\[2\]: (while True:|pass)", line)


RIGHT = (
    "def softmax(E, dim=-1):\n    W = torch.exp(E - E.amax(dim, keepdim=True))\n    return W / W.sum(dim, keepdim=True)"
)


@pytest.mark.slow
def test_after_a_cell_that_failed_the_check_says_that_it_judges_the_older_one():
    found = run(RIGHT, 'check("softmax")', RIGHT + ")", 'check("softmax")', RIGHT, 'check("softmax")')
    older = (
        "In[4] defines softmax anew, but stopped with an error before. So an older version was checked, that of In[2]."
    )
    assert older not in text_of(found[1])
    assert older in text_of(found[3])
    assert older not in text_of(found[5])


@pytest.mark.slow
def test_where_the_only_cell_failed_the_check_leads_there():
    found = run(RIGHT + ")", 'check("softmax")')
    assert "In[2] defines softmax, but stopped with an error before: see there." in text_of(found[1])


@pytest.mark.slow
def test_an_answer_under_another_name_is_found():
    stub = "def softmax(E, dim=-1):\n    raise NotImplementedError('Return the weights.')"
    found = run(stub, RIGHT.replace("softmax", "soft_max"), 'check("softmax")', RIGHT, 'check("softmax")')
    told = "In[3] defines soft_max. If that is your answer, its name has to be softmax."
    assert told in text_of(found[2])
    assert told not in text_of(found[4])


@pytest.mark.slow
def test_repeated_errors_are_shown_once():
    found = run("def softmax(E, dim=-1):\n    return e / e.sum(dim)", 'check("softmax")')
    told = text_of(found[1])
    assert told.count("NameError: name 'e' is not defined") == 1
    assert "in line 2 of In[2]: return e / e.sum(dim)" in told


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: check("softmax", seed="1729"), 'Expected a whole number as seed, such as check("softmax", seed=1729)'),
        (lambda: check("softmax", seed=1.5), "got 1.5"),
        (lambda: model_answer("softmx"), 'Did you mean model_answer("softmax")?'),
        (lambda: practice(len), r'practice("'),
        (lambda: progress("attention"), "NN-attention"),
        (
            lambda: lesson_check("split_heads"),
            "It belongs to another lesson: from autograder.lessons.multi_head_attention",
        ),
    ],
)
def test_a_wrong_call_is_refused_with_the_right_one(call, told, monkeypatch):
    monkeypatch.setattr("course_lib.live.in_live_notebook", lambda: True)
    with pytest.raises(LookupError) as raised:
        call()
    assert told in str(raised.value)


def test_every_function_for_notebooks_has_its_stand_in_where_a_notebook_is_graded():
    """Without one, a cell that imports it stops there."""
    for name in autograder.__all__:
        here, there = (inspect.signature(getattr(module, name)) for module in (autograder, notebook_stub))
        assert [*there.parameters.values()] == [*here.parameters.values()], name


def test_the_line_says_when_a_cause_is_looked_for_however_soon_after_the_last_property(monkeypatch):
    from autograder.notebook import session

    shown = []
    line = session._Line("softmax", 2, lambda text, html: shown.append(text))
    monkeypatch.setattr(session.time, "monotonic", lambda: 7.0)
    for _ in range(3):
        line.next()
    assert shown[-1] == "Checking softmax: looking for the cause …"
