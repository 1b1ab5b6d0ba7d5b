import math

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from course_lib.layers.dropout import STEPS, Dropout, drop


def share_of_zeros(Y):
    return (Y == 0).double().mean().item()


@pytest.mark.parametrize("rate", [0.001, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_rate_and_the_factor(rate, dtype):
    torch.manual_seed(1729)
    Y = drop(torch.full((307, 1009), 3.0, dtype=dtype), rate)
    assert Y.dtype == dtype
    assert abs(share_of_zeros(Y) - rate) < 5 * math.sqrt(rate * (1 - rate) / Y.numel()) + 1 / STEPS
    kept = Y[Y != 0]
    assert (kept == kept[0]).all()
    assert kept[0].item() == pytest.approx(3 / (1 - rate), rel=1e-2 if dtype == torch.bfloat16 else 1e-4)


def test_the_mean_stays_exactly_what_it_was():
    hidden = round(0.1 * STEPS)
    kept = drop(torch.ones(97, dtype=torch.float64), 0.1).max()
    assert kept.item() * (1 - hidden / STEPS) == pytest.approx(1, rel=1e-15)


def test_neighbours_are_dropped_independently():
    torch.manual_seed(1729)
    rate, n = 0.25, 400_009
    dropped = drop(torch.ones(n), rate) == 0
    for distance in range(1, 9):  # four entries come out of one random number
        both = (dropped[distance:] & dropped[:-distance]).double().mean().item()
        assert abs(both - rate**2) < 5 * math.sqrt(rate**2 * (1 - rate**2) / n)
    for part in range(4):
        assert abs(dropped[part::4].double().mean().item() - rate) < 5 * math.sqrt(rate * (1 - rate) / (n / 4))


def test_every_call_draws_anew_and_the_seed_decides():
    X = torch.ones(11, 13)
    torch.manual_seed(1729)
    first, second = drop(X, 0.5), drop(X, 0.5)
    assert not torch.equal(first, second)
    torch.manual_seed(1729)
    assert torch.equal(drop(X, 0.5), first)


def test_the_gradient_is_that_of_the_factors(generator):
    X = torch.randn(5, 7, dtype=torch.float64, generator=generator, requires_grad=True)
    before = X.detach().clone()
    Y = drop(X, 0.5)
    (gradient,) = torch.autograd.grad(Y.sum(), X)
    assert_close(gradient * X, Y)
    assert torch.equal(X, before)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (5,), (0,), (2, 0), (2, 3, 5)])
def test_all_shapes(shape):
    assert drop(torch.ones(shape), 0.5).shape == shape


def test_an_input_that_does_not_lie_in_order(generator):
    X = torch.randn(31, 53, 17, generator=generator).transpose(0, 2)
    Y = drop(X, 0.5)
    assert_close(Y[Y != 0], 2 * X[Y != 0])
    assert 0.4 < share_of_zeros(Y) < 0.6


@pytest.mark.parametrize(("rate", "expected"), [(0.0, 3.0), (1e-9, 3.0), (1.0, 0.0)])
def test_rates_at_the_ends(rate, expected):
    assert_close(drop(torch.full((5, 7), 3.0), rate), torch.full((5, 7), expected))


def test_other_devices_are_left_to_pytorch(monkeypatch):
    calls = []
    monkeypatch.setattr(F, "dropout", lambda X, rate: calls.append(rate) or X)
    drop(torch.ones(3, 5, device="meta"), 0.5)
    assert calls == [0.5]


def test_the_layer_drops_in_training_only():
    layer, X = Dropout(0.5), torch.ones(101, 103)
    assert isinstance(layer, torch.nn.Dropout)
    assert torch.equal(layer.eval()(X), X)
    assert 0.4 < share_of_zeros(layer.train()(X)) < 0.6
    with pytest.raises(ValueError, match="between 0 and 1"):
        Dropout(-0.5)
