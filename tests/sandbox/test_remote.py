"""The verdict is the same in the notebook and from the sandbox. ``test_whole_way`` shows it for every exercise."""

import contextlib

import pytest
import torch
from known import CASES, LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.grading.run.sandbox_executor import defined_names
from autograder.sandbox.limits import Limits
from autograder.sandbox.outside.remote import RemoteStudent
from autograder.sandbox.outside.sandbox import Sandbox
from autograder.sandbox.outside.session import Session
from autograder.verdict.runner import diagnose_failures, run_checks, run_single

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

IMPORTS = "import math\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
ASSIGNMENT = "01-attention"
LESSON = LESSONS.of(ASSIGNMENT)


@pytest.fixture(scope="module")
def box():
    with Sandbox(libraries=LESSON.libraries_in("")) as started:
        yield started


@pytest.fixture
def remote(box):
    opened = []

    def make(*cells, lesson=LESSON):
        session = Session(box, lesson.forbidden, libraries=lesson.libraries_in(""))
        opened.append(session)
        sources = {"": IMPORTS}
        for cell in (IMPORTS, *cells):
            session.run_cell(cell)
            sources |= defined_names(cell)
        return RemoteStudent(session, sources, lesson)

    yield make
    for session in opened:
        session.close()


def both(remote, exercise, *cells, seed=7, lesson=LESSON):
    names = {"__name__": "notebook"}
    for cell in (IMPORTS, *cells):
        with contextlib.suppress(Exception):  # a case may fail when it is defined; the checks then say what is missing
            exec(compile(cell, "cell", "exec"), names)
    there = remote(*cells, lesson=lesson)
    return run_checks(exercise, NotebookStudent(names, lesson), seed), run_checks(exercise, there, seed)


def some(exercise, every):
    chosen = sorted((c for c in CASES.values() if c.exercise == exercise), key=str)[::every]
    return [pytest.param(case, id=str(case)) for case in chosen]


STANDALONE = [
    *some("softmax", 18),
    *some("attend", 18),
    *some("scaled_dot_product_attention", 28),
    *some("causal_mask", 18),
]


@pytest.mark.parametrize("case", STANDALONE)
def test_known_answers_get_the_same_points_and_the_same_name(remote, case):
    here, there = both(remote, case.exercise, case.text)
    assert [(r.name, r.earned) for r in there.results] == [(r.name, r.earned) for r in here.results]
    assert there.named == here.named


def test_one_request_has_the_results_of_both_modes(remote):
    cell = """
class Modes(nn.Module):
    def __init__(self):
        super().__init__()
        self.made = 0
    def forward(self, X):
        self.made += 1
        return (-X if self.training else X), self.made
"""
    module, X = remote(cell).build("Modes"), torch.arange(6.0).view(2, 3)
    answer = module.when(both_modes=True).request(X)
    assert torch.equal(answer.value[0], X)
    assert torch.equal(answer.in_training[0], -X)
    assert (answer.value[1], answer.in_training[1]) == (1, 2)
    assert module.request(X).in_training is None


@pytest.mark.parametrize("case", some("SelfAttention", 24))
def test_remote_modules_earn_the_same_points(remote, case):
    base = CASES[f"{ASSIGNMENT}/scaled_dot_product_attention/right/{_a_right_one()}"].text
    here, there = both(remote, "SelfAttention", base, case.text)
    assert [(r.name, r.earned) for r in there.results] == [(r.name, r.earned) for r in here.results]


@pytest.mark.parametrize(("line", "kind"), [("E += 1", "mutated"), ("E.view(-1)", "layout"), ("pass", "")])
def test_a_broken_promise_costs_one_check_and_is_reported_there_too(remote, line, kind):
    text = (
        f"def softmax(E, dim=-1):\n    A = (E - E.amax(dim, True)).exp()\n    {line}\n    return A / A.sum(dim, True)"
    )
    for report in both(remote, "softmax", text):
        lost = [(r.name, r.failure.kind) for r in report.results if r.failure]
        assert lost == ([("check_input_and_dtype_are_kept", kind)] if kind else [])


def _a_right_one():
    return min(c.name for c in CASES.values() if c.exercise == "scaled_dot_product_attention" and c.right)


def test_a_wrong_earlier_exercise_costs_points_once(remote):
    wrong = CASES[f"{ASSIGNMENT}/scaled_dot_product_attention/wrong/no_scaling"].text
    right = next(c for c in CASES.values() if c.exercise == "SelfAttention" and c.right and "scaled_dot" in c.text).text
    here, there = both(remote, "SelfAttention", wrong, right)
    assert there.earned == here.earned == there.points
    assert "Checked with a right scaled_dot_product_attention" in there.note


def test_printed_output_is_shown(remote):
    report = run_checks("softmax", remote("def softmax(E, dim=-1):\n    print('shape', E.shape)\n    return E"), 7)
    assert "shape torch.Size" in str(report)


def test_reports_an_answer_that_ends_its_process_once(box):
    session = Session(box, libraries=LESSON.libraries_in(""))
    student = RemoteStudent(session, {"": ""}, LESSON)
    session.run_cell("import os\ndef softmax(E, dim=-1):\n    os._exit(3)")
    report = run_checks("softmax", student, 7)
    session.close()
    assert report.earned == 0
    assert session.stops == 1
    assert "ends the process" in report.named


@pytest.mark.parametrize(
    "body",
    [
        "return F.scaled_dot_product_attention(Q, K, V, is_causal=causal)",
        "return getattr(F, 'scaled_dot_product' + '_attention')(Q, K, V, is_causal=causal)",
        "return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(Q, K, V, 0.0, causal)[0]",
    ],
)
def test_a_forbidden_function_earns_nothing(remote, body):
    report = run_checks(
        "blockwise_attention", remote(f"def blockwise_attention(Q, K, V, causal=False, block_size=9):\n    {body}"), 7
    )
    assert report.earned == 0
    assert report.named == ["ready-made function"]


def test_speed_and_memory_are_measured_from_outside(remote, root):
    from autograder.content import notebook

    cells = {
        notebook.grade_id(c): notebook.source(c)
        for c in notebook.read(root / "solutions" / ASSIGNMENT / "attention.ipynb")["cells"]
    }
    report = run_checks("blockwise_attention", remote(cells["blockwise_attention"]), 7)
    assert report.full, str(report)


def test_fast_but_wrong_under_the_clock_is_wrong(remote):
    cell = (
        "calls = []\n"
        "def blockwise_attention(Q, K, V, causal=False, block_size=64):\n"
        "    E = Q @ K.mT / math.sqrt(Q.shape[-1])\n"
        "    if Q.shape[1:3] == (8, 2048):\n"
        "        calls.append(1)\n"
        "        if len(calls) > 1:\n"
        "            return torch.zeros_like(Q)\n"
        "    if causal:\n"
        "        E = E.masked_fill(torch.ones_like(E, dtype=torch.bool).triu(1), -math.inf)\n"
        "    return torch.softmax(E, -1) @ V\n"
    )
    report = run_checks("blockwise_attention", remote(cell), 7)
    speed = next(r for r in report.results if r.name == "check_speed")
    assert speed.earned == 0
    assert "while it was timed" in str(speed.failure)


SLOW_AND_WRONG = """
import time

def softmax(E, dim=-1):
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    return E.exp() / E.exp().sum(0, keepdim=True) + 0.01
"""


@pytest.mark.parametrize("seconds", [0.05, 60.0])
def test_the_search_for_causes_has_a_time_of_its_own(seconds):
    """An answer just below the limit of a request would otherwise be asked until the limit of the whole submission."""
    with Sandbox(Limits(search_cpu=seconds), libraries=LESSON.libraries_in("")) as box:
        session = Session(box, LESSON.forbidden, libraries=LESSON.libraries_in(""))
        for cell in (IMPORTS, SLOW_AND_WRONG):
            session.run_cell(cell)
        wrong = RemoteStudent(session, {"": IMPORTS, **defined_names(SLOW_AND_WRONG)}, LESSON)
        judged = run_single("softmax", wrong, 7)
        points, before = judged.earned, session.used()
        told = diagnose_failures(judged, wrong)
        used = session.used() - before
        session.close()
    assert told.earned == points
    over = "No likely cause was found in the time for the search" in told.note
    assert over == (seconds < 1)
    assert used < 0.3 if over else used > 0.5, f"{used:.1f} s of processor time"


SOFTMAX = """def softmax(E, dim: int = -1):
    A = (E - E.amax(dim=dim, keepdim=True)).exp()
    return A / A.sum(dim=dim, keepdim=True)
"""
WRITTEN = {
    "compiled": f"@torch.compile\n{SOFTMAX}",
    "compiled with settings": f"@torch.compile(dynamic=True, mode='max-autotune')\n{SOFTMAX}",
    "compiled afterwards": f"{SOFTMAX}\nsoftmax = torch.compile(softmax)",
    "TorchScript": f"@torch.jit.script\n{SOFTMAX}",
    "a partial function": f"{SOFTMAX.replace('softmax', 'inner')}\nimport functools\nsoftmax = functools.partial(inner)",
    "wrapped": "import functools\ndef again(f):\n    @functools.wraps(f)\n    def g(*args, **kwargs):\n"
    f"        return f(*args, **kwargs)\n    return g\n@again\n{SOFTMAX}",
    "cached": f"import functools\n@functools.lru_cache\n{SOFTMAX}",
    "a module": f"{SOFTMAX.replace('softmax', 'inner')}\nclass Softmax(nn.Module):\n    def forward(self, E, dim=-1):\n"
    "        return inner(E, dim)\nsoftmax = Softmax()\nsoftmax.compile()\nsoftmax = torch.compile(softmax)",
}


@pytest.mark.parametrize("way", WRITTEN)
def test_a_right_answer_is_found_by_its_name_whatever_kind_of_object_it_is(remote, way):
    report = run_checks("softmax", remote(WRITTEN[way]), 7)
    assert report.earned == report.points, str(report)


@pytest.mark.parametrize("way", ["compiled", "TorchScript", "a partial function"])
def test_what_is_blocked_is_blocked_in_whatever_kind_of_object(remote, way):
    ready_made = WRITTEN[way].replace("    A =", "    return torch.softmax(E, dim)\n    A =")
    assert "ready-made function" in run_checks("softmax", remote(ready_made), 7).named


@pytest.mark.parametrize(
    "setting",
    [
        "torch.inference_mode().__enter__()",
        "torch.set_default_device('cuda')",
        "torch.set_default_device('meta')",
        "torch.set_default_dtype(torch.float64)",
        "torch.set_grad_enabled(False)",
        "torch.autocast('cpu', torch.bfloat16).__enter__()",
        "torch.use_deterministic_algorithms(True); torch.autograd.set_detect_anomaly(True)",
        "import numpy, warnings, os; numpy.seterr(all='raise'); warnings.simplefilter('error'); os.chdir('/')",
        "import sys, random; sys.setrecursionlimit(100); random.seed(0); torch.manual_seed(0); torch.set_num_threads(2)",
    ],
)
def test_what_a_cell_leaves_on_costs_nothing(remote, setting):
    right = {case.exercise: case.text for case in CASES.values() if case.right and case.assignment == ASSIGNMENT}
    there = remote(setting if ";" in setting else f"kept = {setting}", right["attend"])
    report = run_checks("attend", there, 7)
    assert report.earned == report.points, str(report)


def test_a_default_device_that_is_not_there_does_not_stop_the_cells_below_it(remote):
    if torch.cuda.is_available():
        pytest.skip("this machine has the device that the cell asks for")
    cells = "torch.set_default_device('cuda')", "ONE = torch.ones(())", SOFTMAX.replace("return ", "return ONE * ")
    report = run_checks("softmax", remote(*cells), 7)
    assert report.earned == report.points, str(report)


UNWATCHED = """
from autograder.runtime import promises

promises.breach = promises.module_breach = lambda *_, **__: None


def softmax(E, dim=-1):
    A = torch.exp(E - E.max(dim, keepdim=True).values)
    if not E.requires_grad:
        E.zero_()
    return A / A.sum(dim, keepdim=True)
"""


def test_arguments_that_come_back_changed_cost_a_check_though_the_process_says_nothing(remote):
    report = run_checks("softmax", remote(UNWATCHED), 7)
    [failure] = [each.failure for each in report.results if each.failure]
    assert (failure.kind, failure.cause) == ("mutated", "input changed in place")
    assert "its argument argument 1" not in failure.message
