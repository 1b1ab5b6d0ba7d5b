"""A module without dropout is asked in both modes."""

import contextlib

import pytest
import torch
from answers import student
from known import LESSONS

from autograder.checks.modules import BothModes
from autograder.runtime.errors import CheckFailure
from autograder.verdict.runner import run_checks

LAYER = """
class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width)), eps
    def forward(self, X):
        centred = X - X.mean(-1, keepdim=True)
        Y = centred / (centred.square().mean(-1, keepdim=True) + self.eps).sqrt()
        return (Y{changed}) * self.gamma + self.beta
"""
BLOCKS = LESSONS.of("03-transformer-blocks")


@pytest.mark.parametrize("changed", [" * 2 if self.training else Y", " + 0.01 if self.training else Y"])
def test_another_result_in_training_mode_fails_and_is_named(changed):
    text = LAYER.replace("(Y{changed})", f"(Y{changed})")
    report = run_checks("LayerNorm", student(text, BLOCKS), 3)
    assert not report.full
    assert "another result in training mode" in report.named


def test_the_same_in_both_modes_passes():
    assert run_checks("LayerNorm", student(LAYER.replace("{changed}", ""), BLOCKS), 3).full


def test_a_call_in_a_chosen_mode_is_not_repeated():
    text = LAYER.replace("(Y{changed})", "(Y * 2 if self.training else Y)")
    made = BothModes.of(student(text, BLOCKS).build("LayerNorm", 4))
    X = torch.randn(2, 4)
    assert made.when(training=True)(X).abs().max() > made.when(training=False)(X).abs().max()
    with pytest.raises(CheckFailure, match="In training mode"):
        made(X)


def test_an_answer_that_moves_where_a_check_asks_again_does_not_pass():
    """Wrong in training mode, and another one in the eval call that asks whether eval mode stands still."""
    text = LAYER.replace("Y{changed}", "Y * 3 if self.training else Y + torch.rand(1)")
    made = BothModes.of(student(text, BLOCKS).build("LayerNorm", 4))
    with pytest.raises(CheckFailure, match="eval mode the same call"):
        made(torch.randn(2, 4))


@pytest.mark.parametrize(("off", "passes"), [(1e-13, True), (1e-5, False)])
def test_what_another_order_in_memory_rounds_otherwise_is_no_matter_of_the_mode(off, passes):
    """Arguments lie in memory in two orders by turns. A large mean makes the difference between them larger than usual."""
    text = LAYER.replace("(Y{changed})", f"(Y * (1 + (0 if X.is_contiguous() else {off})))")
    made = BothModes.of(student(text, BLOCKS).build("LayerNorm", 4))
    with contextlib.nullcontext() if passes else pytest.raises(CheckFailure):
        for _ in range(4):
            made(torch.randn(3, 4, dtype=torch.float64))


@pytest.mark.parametrize("seed", [58, 63])
def test_a_large_mean_in_single_precision_costs_no_point(seed):
    """With these seeds the two orders round apart."""
    assert run_checks("LayerNorm", student(LAYER.replace("{changed}", ""), BLOCKS), seed).full


COUNTED = (
    LAYER.replace("super().__init__()", "super().__init__(); MADE.append(self)").replace("{changed}", "") + "MADE = []"
)


def test_one_module_answers_in_both_modes():
    who = student(COUNTED, BLOCKS)
    X = torch.randn(2, 4)
    made = BothModes.of(who.build("LayerNorm", 4))
    assert torch.equal(made(X), made.when(training=True)(X))
    assert len(who.namespace["MADE"]) == 2


@pytest.mark.parametrize(
    ("line", "breach"),
    [("if self.training: X.zero_()", "its argument X"), ("if self.training: self.eval()", "its own mode")],
)
def test_a_promise_that_is_broken_in_training_mode_only_is_told(line, breach):
    text = LAYER.replace("{changed}", "").replace("        centred = ", "        X0, X = X, X + 0\n        centred = ")
    text = text.replace("        return", f"        X = X0\n        {line}\n        return")
    who = student(text, BLOCKS)
    BothModes.of(who.build("LayerNorm", 4))(torch.randn(2, 4))
    assert breach in who.breach.message


def test_an_error_in_training_mode_only_is_told():
    text = LAYER.replace("(Y{changed})", "(Y[5] if self.training else Y)")
    who = student(text, BLOCKS)
    with pytest.raises(CheckFailure) as stopped:
        BothModes.of(who.build("LayerNorm", 4))(torch.randn(2, 4))
    assert stopped.value.kind == "crash"
    assert who.last.request.training
