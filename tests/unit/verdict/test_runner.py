"""One exercise, checked and reported."""

import math

import pytest
import torch
from answers import ATTENTION, RIGHT_ATTENTION, student
from known import CASES, LESSONS, points

from autograder.checks import exercise
from autograder.checks import points as worth
from autograder.checks.execute import NotebookStudent
from autograder.diagnosis import search
from autograder.runtime.errors import CheckFailure
from autograder.runtime.measure import Ratio
from autograder.verdict.runner import diagnose_failures, recheck_with_references, run_checks, run_single

#: Two in every run; `test_seeds.py` has all known answers with eight.
SEEDS = (1, 2)

NOT_SPEED = [name for name in ATTENTION.exercises if not ATTENTION.measures(name)]
BLOCKS = "03-transformer-blocks"


@pytest.mark.parametrize("seed", SEEDS)
def test_right_answers_earn_everything_whatever_the_seed(seed):
    for name in NOT_SPEED:
        report = run_checks(name, student(RIGHT_ATTENTION), seed)
        assert report.earned == report.points > 0, str(report)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wrong_answer_loses_the_same_points_whatever_the_seed(seed):
    wrong = RIGHT_ATTENTION.replace(" / math.sqrt(Q.shape[-1])", "")
    report = run_checks("scaled_dot_product_attention", student(wrong), seed)
    assert report.earned == 3, str(report)
    assert report.named[0] == "no scaling"


def test_measures_once_if_earlier_exercises_are_right(monkeypatch):
    races = []

    def raced(self, *args, **kwargs):
        races.append(1)
        return Ratio(99.0, 99.0, 99.0, 1)

    monkeypatch.setattr(NotebookStudent, "time_ratio", raced)
    whole = "def blockwise_attention(Q, K, V, causal=False, block_size=64):\n    n = Q.shape[-2]\n"
    whole += "    allowed = torch.ones(n, n, dtype=torch.bool).tril() if causal else None\n"
    whole += "    return scaled_dot_product_attention(Q, K, V, allowed)[0]"
    report = run_checks("blockwise_attention", student(RIGHT_ATTENTION + whole), 3)
    assert "too slow" in report.named
    assert len(races) == 1


def test_what_is_not_written_is_not_measured(monkeypatch):
    monkeypatch.setattr(NotebookStudent, "time_ratio", lambda *args, **kwargs: pytest.fail("measured"))
    monkeypatch.setattr(NotebookStudent, "peak_memory", lambda *args, **kwargs: pytest.fail("measured"))
    unwritten = (
        "def blockwise_attention(Q, K, V, causal=False, block_size=64):\n    raise NotImplementedError('Fill Y.')"
    )
    report = run_checks("blockwise_attention", student(unwritten), 3)
    assert report.unwritten
    assert [result.name for result in report.results] == [*ATTENTION.checks("blockwise_attention")]
    assert str(report).splitlines()[1] == "○ Not written yet: “Fill Y.”"


def test_an_answer_that_is_written_for_some_inputs_is_measured(monkeypatch):
    races = []

    def raced(self, *args, **kwargs):
        races.append(1)
        return Ratio(1.0, 1.0, 1.0, 1)

    monkeypatch.setattr(NotebookStudent, "time_ratio", raced)
    half = "def blockwise_attention(Q, K, V, causal=False, block_size=64):\n"
    half += "    if not causal:\n        raise NotImplementedError('later')\n    n = Q.shape[-2]\n"
    half += "    return scaled_dot_product_attention(Q, K, V, torch.ones(n, n, dtype=torch.bool).tril())[0]"
    report = run_checks("blockwise_attention", student(RIGHT_ATTENTION + half), 3)
    assert races
    assert next(result for result in report.results if result.name == "check_speed").passed


def test_the_same_seed_gives_the_same_report():
    wrong = RIGHT_ATTENTION.replace("math.sqrt(Q.shape[-1])", "Q.shape[-1]")
    first, second = (str(run_checks("scaled_dot_product_attention", student(wrong), 7)) for _ in range(2))
    assert first == second
    assert "seed 7" in first


def test_a_failure_says_what_was_expected_what_came_and_why():
    report = run_checks(
        "softmax", student("def softmax(E, dim=-1): return E.exp() / E.exp().sum(dim, keepdim=True)"), 3
    )
    text = str(report)
    for part in (
        "expected",
        "yours",
        "Likely cause: no maximum subtracted",
        f"{report.earned:g} of {report.points:g} points",
    ):
        assert part in text
    assert 0 < report.earned < report.points


def test_later_failures_with_the_same_cause_are_short():
    text = str(run_checks("softmax", student("def softmax(E, dim=-1): return torch.sigmoid(E)"), 3))
    assert text.count("Likely cause: sigmoid") == 1
    assert "Same cause as above: sigmoid" in text


def test_reports_an_unwritten_answer_once():
    report = run_checks("attend", student("def attend(q, X):\n    raise NotImplementedError('Return y and a.')"))
    assert report.earned == 0
    assert str(report).splitlines()[1] == "○ Not written yet: “Return y and a.”"


def test_an_operator_that_torch_does_not_implement_is_not_taken_for_an_unwritten_answer():
    report = run_checks("attend", student("def attend(q, X):\n    return torch.linalg.inv(X.to(torch.int32)), q"))
    assert "stopped with an error" in str(report)


def test_reports_missing_function():
    answers = student()
    del answers.namespace["softmax"]
    report = run_checks("softmax", answers)
    assert report.earned == 0
    assert "There is no softmax yet: no cell that has run defines it." in str(report)
    answers.namespace["sofmax"] = torch.softmax
    assert "There is a sofmax: is the name mistyped?" in str(run_checks("softmax", answers))


def test_the_piece_that_is_not_written_is_named():
    pieces = "def helper(E):\n    raise NotImplementedError('Weigh.')\ndef softmax(E, dim=-1):\n    return helper(E)"
    assert "Not written yet (helper): “Weigh.”" in str(run_checks("softmax", student(pieces)))


def test_reports_a_forgotten_return_only():
    for name, code in (("softmax", "def softmax(E, dim=-1): E + 1"), ("attend", "def attend(q, X): X @ q")):
        assert run_checks(name, student(code)).named == ["nothing returned"]


def test_a_bias_too_many_costs_the_line_that_names_it_alone():
    report = run_checks("SelfAttention", student(RIGHT_ATTENTION + LAYER.replace("D_V, bias=False", "D_V")))
    assert report.earned == report.points - 1
    assert report.named == ["bias not switched off"]


def test_an_unknown_exercise_lists_the_known_ones():
    with pytest.raises(LookupError, match="softmax"):
        run_checks("sofmax", student())


@pytest.mark.parametrize(
    "value", ["None", "3", "'Y'", "object()", "(1, 2)", "torch.tensor(float('nan'))", "E.to(torch.complex64)", "E > 0"]
)
def test_every_result_gets_a_verdict(value):
    report = run_checks("softmax", student(f"def softmax(E, dim=-1): return {value}"))
    assert report.earned == 0
    assert math.isfinite(report.earned)


def test_an_answer_that_ends_the_program_is_an_error_like_any_other():
    report = run_checks("softmax", student("import sys\ndef softmax(E, dim=-1): sys.exit(0)"))
    assert report.earned == 0
    assert "SystemExit" in str(report)


def test_interrupting_an_endless_answer_interrupts_the_check():
    with pytest.raises(KeyboardInterrupt):
        run_checks("softmax", student("def softmax(E, dim=-1): raise KeyboardInterrupt"))


def test_warnings_and_prints_cost_nothing_and_prints_are_shown(capfd):
    noisy = (
        "import warnings, sys\ndef softmax(E, dim=-1):\n    print('hello'); print('trouble', file=sys.stderr)\n"
        "    warnings.warn('careful')\n    W = torch.exp(E - E.amax(dim, keepdim=True))\n"
        "    return W / W.sum(dim, keepdim=True)"
    )
    report = run_checks("softmax", student(noisy))
    assert report.earned == report.points
    assert report.results[0].printed.startswith("hello")
    assert capfd.readouterr() == ("", "")


def test_checks_and_diagnosis_use_one_thread(monkeypatch):
    """With two threads on two busy cores, every small operation waits for the scheduler: 4 ms instead of 3 µs were seen."""
    seen = set()
    original = search.call_check
    monkeypatch.setattr(search, "call_check", lambda *a: seen.add(torch.get_num_threads()) or original(*a))
    torch.set_num_threads(2)
    run_checks("softmax", student("def softmax(E, dim=-1): print(torch.get_num_threads()); return torch.sigmoid(E)"))
    assert seen == {1}


def test_threads_and_environment_are_as_before(monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    before = torch.get_num_threads()
    assert run_checks("causal_mask", student()).earned == points("01-attention")["causal_mask"]
    assert torch.get_num_threads() == before


LAYER = """
class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q, self.W_K = nn.Linear(D_X, D_Q, bias=False), nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        return scaled_dot_product_attention(self.W_Q(X), self.W_K(X), self.W_V(X), allowed)
"""


def test_a_mistake_in_an_earlier_exercise_costs_points_once():
    wrong = RIGHT_ATTENTION.replace("math.sqrt(Q.shape[-1])", "Q.shape[-1]")
    answers = student(wrong + LAYER)
    report = run_checks("SelfAttention", answers)
    assert report.earned == report.points
    assert "Checked with a right scaled_dot_product_attention in place of yours" in str(report)
    again = run_checks("scaled_dot_product_attention", answers)
    assert again.earned < again.points, "the student's own function is back in its place"


STUB = "    raise NotImplementedError('Return Y and A.')\n"


def test_an_earlier_exercise_that_is_not_written_yet_costs_points_once():
    unwritten = RIGHT_ATTENTION + f"def scaled_dot_product_attention(Q, K, V, allowed=None):\n{STUB}"
    report = run_checks("SelfAttention", student(unwritten + LAYER))
    assert report.full, str(report)
    assert "Checked with a right scaled_dot_product_attention in place of yours" in str(report)


def test_a_class_that_is_not_written_yet_costs_what_is_derived_from_it_nothing():
    unwritten = f"class SelfAttention(nn.Module):\n    def __init__(self, D_X, D_Q, D_V):\n    {STUB}"
    causal = (
        "class CausalSelfAttention(SelfAttention):\n"
        "    def forward(self, X):\n        return super().forward(X, causal_mask(X.shape[-2], device=X.device))"
    )
    report = run_checks("CausalSelfAttention", student(RIGHT_ATTENTION + unwritten + causal))
    assert report.full, str(report)
    assert "Checked with a right SelfAttention in place of yours" in str(report)


def test_an_unwritten_answer_is_not_run_again_with_right_earlier_exercises(monkeypatch):
    answers = student("def scaled_dot_product_attention(Q, K, V, allowed=None):\n" + STUB)
    monkeypatch.setattr(answers, "with_references", lambda *_: pytest.fail("nothing can be gained"))
    assert run_checks("scaled_dot_product_attention", answers).unwritten


def test_causes_come_after_all_points_and_a_notebook_without_time_keeps_its_points(monkeypatch):
    """The search for the cause of an earlier mistake may use up a slow notebook's time: nothing is judged after it."""
    wrong = student(RIGHT_ATTENTION.replace(" / math.sqrt(Q.shape[-1])", "") + LAYER)
    full = {"scaled_dot_product_attention": False}
    report = recheck_with_references(run_single("SelfAttention", wrong, 1), wrong, full)
    assert report.replaced
    assert report.full

    def no_time(names, right=None):
        raise CheckFailure("crash", "The time for the whole notebook is used up.")

    monkeypatch.setattr(wrong, "with_references", no_time)
    told = diagnose_failures(report, wrong)
    assert told.full
    assert "time for this notebook is used up" in told.note


def test_a_mistake_of_its_own_is_still_found_when_an_earlier_exercise_is_wrong_too():
    wrong = RIGHT_ATTENTION.replace("math.sqrt(Q.shape[-1])", "Q.shape[-1]")
    report = run_checks("SelfAttention", student(wrong + LAYER.replace("self.W_K(X)", "self.W_Q(X)")))
    assert report.earned < report.points
    assert "query weights for keys" in report.named


def test_the_html_report_is_escaped_and_holds_no_script():
    code = "def softmax(E, dim=-1):\n    print('<script>alert(1)</script>')\n    raise ValueError('<script>alert(2)</script>')"
    page = run_checks("softmax", student(code))._repr_html_()
    assert "<script" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    "state",
    ["torch.set_grad_enabled(False)", "torch.set_default_dtype(torch.float64)", "torch.set_default_device('meta')"],
)
def test_torch_settings_of_the_notebook_cost_nothing_and_persist(state):
    before = torch.is_grad_enabled(), torch.get_default_dtype(), torch.empty(0).device
    answers = student(RIGHT_ATTENTION + LAYER)
    try:
        exec(state)
        switched = torch.is_grad_enabled(), torch.get_default_dtype(), torch.empty(0).device
        for name in ("softmax", "SelfAttention"):
            report = run_checks(name, answers)
            assert report.full, str(report)
        assert (torch.is_grad_enabled(), torch.get_default_dtype(), torch.empty(0).device) == switched
    finally:
        torch.set_grad_enabled(before[0])
        torch.set_default_dtype(before[1])
        torch.set_default_device(None)


def test_a_class_derived_from_a_wrong_one_is_checked_on_a_right_one():
    wrong = LAYER.replace("self.W_K(X)", "self.W_Q(X)")
    causal = (
        "class CausalSelfAttention(SelfAttention):\n"
        "    def forward(self, X):\n        return super().forward(X, causal_mask(X.shape[-2], device=X.device))"
    )
    answers = student(RIGHT_ATTENTION + wrong + causal)
    report = run_checks("CausalSelfAttention", answers)
    assert report.full, str(report)
    assert "Checked with a right SelfAttention" in str(report)
    assert not run_checks("SelfAttention", answers).full


def test_a_diagnosis_that_fails_takes_no_points(monkeypatch):
    import autograder.verdict.runner

    def broken(*_):
        raise RuntimeError

    monkeypatch.setattr(autograder.verdict.runner, "diagnose", broken)
    report = run_checks("softmax", student("def softmax(E, dim=-1): return E.exp() / E.exp().sum(dim, keepdim=True)"))
    assert report.earned == 5
    assert "No likely cause can be named (RuntimeError)." in str(report)


def test_an_error_raised_by_a_ready_made_layer_shows_the_students_line_and_its_cause(tmp_path):
    """As in a notebook: the layer is course_lib's, so its complaint and not torch's arrives."""
    path = tmp_path / "cell.py"
    path.write_text(
        "from autograder.lessons.multi_head_attention.references import *\n"
        "from course_lib.layers import attention_weights, causal_mask\n"
        "class CachedSelfAttention(MultiHeadAttention):\n"
        "    def forward(self, X, cache=None):\n"
        "        Q, K, V = (split_heads(W(X), self.num_heads) for W in (self.W_Q, self.W_K, self.W_V))\n"
        "        if cache is not None:\n"
        "            K, V = torch.cat((cache[0], K), dim=-2), torch.cat((cache[1], V), dim=-2)\n"
        "        A = attention_weights(Q, K, causal_mask(K.shape[-2]))\n"
        "        return self.W_O(merge_heads(A @ V)), (K, V)\n",
        encoding="utf8",
    )
    names = {"torch": torch, "__name__": "notebook"}
    exec(compile(path.read_text(encoding="utf8"), str(path), "exec"), names)
    report = run_checks("CachedSelfAttention", NotebookStudent(names, LESSONS.of("02-multi-head-attention")))
    assert "mask of the wrong shape" in report.named
    assert "in line 8: A = attention_weights(Q, K, causal_mask(K.shape[-2]))" in str(report)


def test_advice_that_costs_no_points_has_its_hint():
    text = """
def scaled_dot_product_attention(Q, K, V, allowed=None):
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E + torch.where(allowed, 0.0, -math.inf).to(E.dtype)
    A = torch.nan_to_num(torch.softmax(E, -1))
    return A @ V, A
"""
    report = run_checks("scaled_dot_product_attention", student(text, LESSONS.of("01-attention")))
    assert report.full
    assert "Keep it from arising" in str(report)


def test_a_wrong_value_is_not_taken_for_a_memory_of_earlier_calls():
    case = CASES[f"{BLOCKS}/LayerNorm/wrong/unbiased_variance"]
    report = run_checks("LayerNorm", student(case.text, LESSONS.of(BLOCKS)))
    assert not report.full
    assert "remembers earlier calls" not in report.named


@pytest.mark.parametrize("root", ["torch.sqrt(torch.tensor(Q.shape[-1]))", "torch.tensor(Q.shape[-1] ** 0.5)"])
def test_a_constant_in_single_precision_costs_one_check(root):
    constant = RIGHT_ATTENTION.replace("math.sqrt(Q.shape[-1])", root)
    assert constant != RIGHT_ATTENTION
    report = run_checks("scaled_dot_product_attention", student(constant), 7)
    lost = [result for result in report.results if not result.passed]
    assert [result.points for result in lost] == [1], str(report)
    assert report.named == ["right in the first digits only"]


def test_what_is_hidden_is_exactly_hidden():
    """A weight of 0 has no rounding, in no dtype."""
    leaking = (
        RIGHT_ATTENTION.replace("float('-inf')", "-18.0")
        .replace('float("-inf")', "-18.0")
        .replace("-math.inf", "-18.0")
    )
    assert leaking != RIGHT_ATTENTION
    report = run_checks("scaled_dot_product_attention", student(leaking), 7)
    assert report.earned < report.points - 2, str(report)
    assert "right in the first digits only" not in report.named


ONES = torch.ones(2, 2)
READY_MADE = """
def softmax(E, dim=-1):
    return torch.softmax(E, dim)

def attend(q, X):
    a = softmax(X @ q)
    return a @ X, a

def causal_mask(N_Q, N_K=None, device=None):
    pass
    return torch.ones(N_Q, N_K or N_Q, dtype=torch.bool, device=device).tril((N_K or N_Q) - N_Q)
"""


@pytest.mark.parametrize(
    ("asked", "inputs", "costs"),
    [("softmax", (ONES[0],), 3), ("attend", (ONES[0], ONES), 0), ("causal_mask", (3,), 0)],
)
def test_a_blocked_call_in_another_exercise_that_a_check_asks_costs_there(monkeypatch, asked, inputs, costs):
    """It takes nothing but the check that asked, and that only where no right version can stand in its place."""
    plain = type(ATTENTION).checks

    @exercise("causal_mask")
    @worth(3)
    def check_with_another(student):
        student.call(asked, *inputs)

    def checks(lesson, name):
        return plain(lesson, name) | ({"check_with_another": check_with_another} if name == "causal_mask" else {})

    monkeypatch.setattr(type(ATTENTION), "checks", checks)
    report = run_checks("causal_mask", student(READY_MADE), 7)
    assert report.points - report.earned == costs, str(report)
    spoilt = READY_MADE.replace(
        "    pass\n", "    torch.nn.functional.scaled_dot_product_attention(*torch.ones(3, 1, 1))\n"
    )
    assert spoilt != READY_MADE
    report = run_checks("causal_mask", student(spoilt), 7)
    assert report.earned == 0, "it has called it itself"


@pytest.mark.parametrize(("left_out", "title"), [((), "softmax"), (("softmax",), "softmax (optional)")])
def test_an_optional_exercise_says_so_in_its_table(monkeypatch, left_out, title):
    monkeypatch.setattr(ATTENTION.settings, "OPTIONAL", left_out, raising=False)
    right = run_single("softmax", student(RIGHT_ATTENTION), 1)
    unwritten = run_single("softmax", student("def softmax(E, dim=-1):\n    raise NotImplementedError('Write it.')"), 1)
    for report in (right, unwritten):
        assert str(report).startswith(f"{title}  ")
        assert f"<b>{title}</b>" in report._repr_html_()
