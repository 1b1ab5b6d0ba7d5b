"""Results in training mode are compared as distributions: every right way to drop passes, and every other one does not."""

import pytest
import torch
from torch import nn

from autograder.checks.dropout import _differ, same_dropout_distribution
from autograder.checks.execute import NotebookStudent
from autograder.checks.inputs import Draw
from autograder.checks.modules import ModulePair
from autograder.runtime.errors import CheckFailure

P = 0.3


class Reference(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_1, self.W_2, self.dropout = nn.Linear(5, 7), nn.Linear(7, 5), nn.Dropout(P)

    def forward(self, X):
        return X + self.dropout(self.W_2(torch.tanh(self.W_1(X))))


def _judge(dropped, seed=0):
    torch.manual_seed(seed)

    class Layer(Reference):
        def forward(self, X):
            return dropped(self, X, torch.tanh(self.W_1(X)))

    student = NotebookStudent({"Layer": Layer}, forbid=("nothing",))
    draw = Draw(seed, "test")
    twins = ModulePair(student, "Layer", (), Reference(), draw)
    same_dropout_distribution(twins, draw.normal(1, 3, 5), what=("Y",), draw=draw, setting="here", hint="There.")


def _drop(x, training=True, p=P):
    return nn.functional.dropout(x, p, training)


def _by_hand(layer, X, hidden):
    if not layer.training:
        return X + layer.W_2(hidden)
    kept = (torch.rand(X.shape, dtype=X.dtype) >= P).to(X.dtype)
    return X + layer.W_2(hidden) * kept / (1 - P)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "dropped",
    [
        lambda layer, X, hidden: X + _drop(layer.W_2(hidden), layer.training),
        lambda layer, X, hidden: nn.Dropout(P).train(layer.training)(layer.W_2(hidden)) + X,
        _by_hand,
    ],
)
def test_right_ways_to_drop_pass(dropped, seed):
    _judge(dropped, seed)


@pytest.mark.parametrize(
    "dropped",
    [
        lambda layer, X, hidden: X + layer.W_2(hidden),
        lambda layer, X, hidden: _drop(X + layer.W_2(hidden), layer.training),
        lambda layer, X, hidden: X + layer.W_2(_drop(hidden, layer.training)),
        lambda layer, X, hidden: X + _drop(_drop(layer.W_2(hidden), layer.training), layer.training),
        lambda layer, X, hidden: X + _drop(layer.W_2(hidden), layer.training, 0.4),
        # One decision for all tokens, and one for all examples.
        lambda layer, X, hidden: X + layer.W_2(hidden) * _drop(X.new_ones(len(X), 1, 5), layer.training),
        lambda layer, X, hidden: X + layer.W_2(hidden) * _drop(X.new_ones(1, 3, 5), layer.training),
        # What is kept is not divided by 1 − p.
        lambda layer, X, hidden: X + _drop(layer.W_2(hidden), layer.training) * ((1 - P) if layer.training else 1),
    ],
)
def test_wrong_ways_do_not(dropped):
    with pytest.raises(CheckFailure, match="vary") as failure:
        _judge(dropped)
    assert failure.value.kind == "dropout"


def test_answers_wrong_without_dropout_are_left_to_the_check_of_values():
    _judge(lambda layer, X, hidden: 2 * X + layer.W_2(hidden))  # and drops nothing


def test_names_randomness_in_eval_mode():
    """An answer in eval mode is no measure of what is dropped unless it is the same each time."""
    with pytest.raises(CheckFailure, match="In eval mode") as failure:
        _judge(lambda layer, X, hidden: X + _drop(layer.W_2(hidden), training=True))
    assert failure.value.cause == "random in eval mode"


@pytest.mark.parametrize(("more", "hint"), [(0.2, "It varies more"), (0.0, "There.")])
def test_too_much_dropout_is_not_said_to_be_missing(more, hint):
    def dropped(layer, X, hidden):
        Y = _drop(X + _drop(layer.W_2(hidden), layer.training), layer.training, more)
        return Y if more else X + _drop(layer.W_2(hidden), layer.training, P / 3)

    with pytest.raises(CheckFailure) as caught:
        _judge(dropped)
    assert caught.value.hint.startswith(hint)


def test_what_does_not_vary_may_be_rounded():
    """Small weights beside large ones, once rounded to float32: whether that was called dropout depended on the seed."""
    want = torch.tensor([0.7588096912, 0.1419555412, 0.0000311484]).double().expand(100, -1)
    rounded = want + torch.tensor([-6e-8, 2e-8, 4e-8]).double()
    assert _differ(rounded, want, Draw(1, "signs")) == ""
    assert _differ(want / 0.7, want, Draw(1, "signs")) == "nothing of it is dropped"
