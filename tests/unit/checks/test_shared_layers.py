"""One layer in many places is told from layers that are not there."""

import pytest
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.content.known_answers import cases_of
from autograder.content.references import namespace
from autograder.verdict.runner import run_checks


def _named(assignment, exercise, wrong, edit=("", "")):
    lesson = LESSONS.of(assignment)
    [text] = [case.text for case in cases_of(lesson, exercise) if case.name == wrong]
    assert edit[0] in text
    names = namespace(lesson)
    exec(text.replace(*edit), names)
    return run_checks(exercise, NotebookStudent(names, lesson, deep=False), 5).named


ONE_MAP = """
class SelfAttention(nn.Module):
    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        self.W_Q = self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)

    def forward(self, X, allowed=None):
        return scaled_dot_product_attention(self.W_Q(X), self.W_K(X), self.W_V(X), allowed)
"""


@pytest.mark.parametrize("exercise", ["Encoder", pytest.param("Decoder", marks=pytest.mark.slow)])
def test_a_block_that_is_repeated_is_not_called_missing(exercise):
    name = ["one layer many times in blocks"]
    assert _named("04-transformer", exercise, "one_block_many_times") == name
    fewer = ("range(1, num_blocks)", "range(max(num_blocks - 1, 1))")
    assert _named("04-transformer", exercise, "one_block_too_few", fewer) == ["too few layers in blocks"]


def test_distinguishes_a_shared_layer_from_an_unregistered_one():
    shared = "one layer under several names"
    assert _named("02-multi-head-attention", "MultiHeadAttention", "one_layer_four_times") == [shared]
    assert _named("01-attention", "SelfAttention", "plain_list") == ["weights not registered, or shared"]


def test_a_parameter_that_is_a_buffer_is_not_called_shared():
    line = "\n        self.register_buffer('{}', torch.ones(width))"
    buffers = ("super().__init__()", "super().__init__()" + line.format("gamma") + line.format("beta"))
    named = _named("03-transformer-blocks", "LayerNorm", "no_gamma_and_beta", buffers)
    assert named == ["a buffer in the place of a parameter"]


def test_weights_loaded_under_two_names_of_one_layer_are_not_called_changed():
    lesson = LESSONS.of("01-attention")
    names = namespace(lesson)
    exec(ONE_MAP, names)
    report = run_checks("SelfAttention", NotebookStudent(names, lesson, deep=False), 5)
    assert report.named == ["one layer under several names"]
    assert "has changed" not in str(report)


def test_layers_of_another_class_are_not_called_missing():
    assert _named("04-transformer", "Decoder", "encoder_blocks") == ["a layer of another class in blocks"]
