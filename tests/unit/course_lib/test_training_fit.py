import math

import jaxtyping
import numpy as np
import pytest
import torch
from small_training import draw_batch, loss, make_loader, make_model, make_rows, same, state_of
from torch import nn

from course_lib.training import fit, rate_factor
from course_lib.training.batches import to_device


def quiet(model, loss, batches, **options):
    return fit(model, loss, batches, device="cpu", show=False, **options)


def weight():
    """A model of one number, 0 at first."""
    model = nn.Linear(1, 1, bias=False, dtype=torch.float64)
    nn.init.zeros_(model.weight)
    return model


def test_fit_does_what_adamw_written_by_hand_does():
    """Loshchilov and Hutter's algorithm 2 in NumPy-like steps, gradients from PyTorch, rates and clipping by hand."""
    model, oracle = make_model().double(), make_model().double()
    history = quiet(
        model,
        loss,
        lambda g: [t.double() for t in draw_batch(g)],
        steps=7,
        learning_rate=0.03,
        warmup=2,
        decay="linear",
        clip=0.4,
        seed=17,
    )
    generator, losses = torch.Generator().manual_seed(17), []
    weights = list(oracle.parameters())
    m, v = [torch.zeros_like(w) for w in weights], [torch.zeros_like(w) for w in weights]
    for t, rate in enumerate([0.015, 0.03, 0.03, 0.024, 0.018, 0.012, 0.006], start=1):
        value = loss(oracle, [t.double() for t in draw_batch(generator)])
        losses.append(value.item())
        gradients = torch.autograd.grad(value, weights)
        norm = math.sqrt(sum((g**2).sum().item() for g in gradients))
        with torch.no_grad():
            for i, (w, g) in enumerate(zip(weights, gradients, strict=True)):
                g = g * min(1.0, 0.4 / norm)
                m[i] = 0.9 * m[i] + 0.1 * g
                v[i] = 0.999 * v[i] + 0.001 * g**2
                w *= 1 - rate * 0.01
                w -= rate * (m[i] / (1 - 0.9**t)) / ((v[i] / (1 - 0.999**t)).sqrt() + 1e-8)
    assert history.losses == pytest.approx(losses, rel=1e-6)  # PyTorch adds 1e-6 to the norm
    for mine, theirs in zip(model.parameters(), weights, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-7)
    assert not same(state_of(model), state_of(make_model().double()))


def test_the_learning_rate_goes_up_and_down_as_computed_by_hand():
    assert [rate_factor(s, 9, warmup=4, decay="none") for s in range(6)] == [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]
    assert [rate_factor(s, 9, warmup=4, decay="linear") for s in (4, 5, 8)] == pytest.approx([1.0, 0.8, 0.2])
    assert [rate_factor(s, 10, warmup=4) for s in (4, 6, 7, 8)] == pytest.approx([1.0, 0.75, 0.5, 0.25])
    assert rate_factor(0, 1) == 1.0


def test_every_parameter_group_keeps_its_share_of_the_rate():
    model = make_model()
    optimizer = torch.optim.SGD(
        [{"params": model[0].parameters(), "lr": 0.4}, {"params": model[3].parameters()}], lr=0.1
    )
    seen = []

    def watching(model, batch):
        seen.append([group["lr"] for group in optimizer.param_groups])
        return loss(model, batch)

    quiet(model, watching, draw_batch, steps=4, optimizer=optimizer, warmup=2, decay="linear")
    assert np.array(seen) == pytest.approx(np.array([[0.2, 0.05], [0.4, 0.1], [0.4, 0.1], [0.2, 0.05]]))


@pytest.mark.parametrize(("clip", "expected"), [(0.5, -0.5), (None, -40.0), (41.0, -40.0)])
def test_gradients_are_clipped_to_their_norm(clip, expected):
    model = weight()
    sgd = torch.optim.SGD(model.parameters(), lr=1.0)
    quiet(model, lambda model, batch: 40 * model.weight.sum(), [0], steps=1, optimizer=sgd, clip=clip)
    assert model.weight.item() == pytest.approx(expected, rel=1e-6)


def test_gradients_do_not_pile_up_from_step_to_step():
    model = weight()
    sgd = torch.optim.SGD(model.parameters(), lr=1.0)
    quiet(model, lambda model, batch: model.weight.sum(), [0], steps=3, optimizer=sgd, decay="none", clip=None)
    assert model.weight.item() == -3.0


def test_an_epoch_is_every_row_once():
    seen = []

    def watching(model, batch):
        seen.append(batch[1])
        return loss(model, batch)

    history = quiet(make_model(), watching, make_loader(shuffle=True), epochs=3)
    assert history.steps == 3 * 5
    rows, expected = torch.cat(seen).view(3, -1), make_rows()[1].sort().values
    assert all(torch.equal(one.sort().values, expected) for one in rows)
    assert not torch.equal(rows[0], rows[1])


def test_the_same_seed_gives_the_same_weights_and_another_one_others():
    def train(seed):
        model = make_model(dropout=0.3)
        quiet(model, loss, make_loader(shuffle=True), steps=6, seed=seed)
        return state_of(model)

    assert same(train(7), train(7))
    assert not same(train(7), train(8))


def test_without_a_seed_the_global_random_states_go_on():
    def train(seed):
        model = make_model(dropout=0.3)
        torch.manual_seed(seed)
        quiet(model, loss, make_loader(), steps=2, seed=None)
        return state_of(model)

    assert same(train(7), train(7))
    assert not same(train(7), train(8))


def test_dropout_works_in_training_and_rests_in_validation_and_afterwards():
    model, modes = make_model(dropout=0.5), []

    def watching(model, batch):
        modes.append(model.training)
        return loss(model, batch)

    def validate(model):
        modes.append((model.training, torch.is_grad_enabled()))
        return 1.0

    quiet(model, watching, draw_batch, steps=2, validate=validate, validate_every=1)
    assert modes == [True, (False, False), True, (False, False)]
    assert not model.training


def test_validating_does_not_change_what_is_learned():
    def noisy(model):
        return float(torch.rand(5).sum() + np.random.rand())

    plain, validated = make_model(dropout=0.3), make_model(dropout=0.3)
    first = quiet(plain, loss, make_loader(shuffle=True), steps=12)
    second = quiet(validated, loss, make_loader(shuffle=True), steps=12, validate=noisy, validate_every=2)
    assert first.losses == second.losses
    assert second.validation_steps == [2, 4, 6, 8, 10, 12]


@pytest.mark.parametrize(("better", "sign"), [("lower", 1), ("higher", -1)])
def test_patience_ends_training_and_the_best_weights_are_kept(better, sign):
    values, seen = iter([math.nan, 5, 3, 4, math.nan, 3, 2, 1]), []

    def validate(model):
        seen.append(state_of(model))
        return sign * next(values)

    model = make_model()
    history = quiet(model, loss, draw_batch, steps=70, validate=validate, validate_every=2, patience=3, better=better)
    assert str(history.validation) == str([math.nan] + [sign * value for value in (5.0, 3.0, 4.0, math.nan, 3.0)])
    assert history.validation_steps == [2, 4, 6, 8, 10, 12]
    assert (history.steps, history.best, history.best_step, history.stopped_early) == (12, 3 * sign, 6, True)
    assert same(state_of(model), seen[2])
    assert not same(seen[2], seen[5])
    assert "stopped early" in repr(history)


def test_without_patience_all_steps_are_done_and_the_best_weights_are_kept():
    values, seen = iter([2, 1, 3]), []

    def validate(model):
        seen.append(state_of(model))
        return next(values)

    model = make_model()
    history = quiet(model, loss, draw_batch, steps=5, validate=validate, validate_every=2)
    assert history.validation_steps == [2, 4, 5]
    assert (history.steps, history.best_step, history.stopped_early) == (5, 4, False)
    assert same(state_of(model), seen[1])


def test_held_out_batches_are_validated_by_their_mean_loss():
    model = weight()
    history = quiet(
        model,
        lambda model, batch: (model.weight - batch).square().sum(),
        [1.0],
        steps=1,
        validate=[2.0, 4.0],
        learning_rate=1e-300,
    )
    assert history.validation == [(4 + 16) / 2]


@pytest.mark.parametrize(
    ("batches", "options", "expected"),
    [
        ([0] * 4, {"epochs": 2}, [4, 8]),
        (draw_batch, {"steps": 60}, list(range(3, 61, 3))),
        ([0] * 9, {"steps": 5}, [5]),
    ],
)
def test_validation_comes_once_a_pass_or_twenty_times(batches, options, expected):
    model = weight()
    history = quiet(model, lambda m, b: m.weight.sum(), batches, validate=lambda m: 0.0, **options)
    assert history.validation_steps == expected


def test_mixed_precision_computes_in_bfloat16_and_keeps_the_weights_in_float32():
    dtypes = set()

    def watching(model, batch):
        out = model(batch[0])
        dtypes.add(out.dtype)
        return (out.squeeze(1).float() - batch[1]).square().mean()

    model = make_model()
    history = quiet(model, watching, [make_rows()], steps=60, learning_rate=0.03, dtype=torch.bfloat16)
    assert dtypes == {torch.bfloat16}
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert history.losses[-1] < history.losses[0] / 2
    dtypes.clear()
    quiet(model, watching, draw_batch, steps=1)
    assert dtypes == {torch.float32}  # a CPU gets mixed precision only when asked for


def test_float16_scales_the_loss_and_leaves_out_a_step_that_overflows():
    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    sizes, gradients = iter([1e36, 4.0]), []
    model.weight.register_hook(lambda g: gradients.append(g.item()))
    sgd = torch.optim.SGD(model.parameters(), lr=1.0)
    quiet(
        model,
        lambda model, batch: next(sizes) * model.weight.sum(),
        [0],
        steps=2,
        optimizer=sgd,
        clip=None,
        decay="none",
        dtype=torch.float16,
    )
    assert gradients == [math.inf, 4.0 * 2**15]  # the scale begins with 2**16 and is halved after an overflow
    assert model.weight.item() == -4.0


def test_float16_clips_the_gradients_and_not_the_scaled_ones():
    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    sgd = torch.optim.SGD(model.parameters(), lr=1.0)
    quiet(
        model,
        lambda model, batch: 0.25 * model.weight.sum(),
        [0],
        steps=1,
        optimizer=sgd,
        clip=1.0,
        dtype=torch.float16,
    )
    assert model.weight.item() == -0.25


def test_batches_of_every_form_go_to_the_device():
    from collections import namedtuple

    Pair = namedtuple("Pair", "ids words")
    meta = torch.device("meta")
    moved = to_device({"a": [torch.ones(2), "text"], "b": Pair(torch.ones(3), (torch.ones(5), 7))}, meta)
    assert moved["a"][0].is_meta
    assert moved["a"][1] == "text"
    assert isinstance(moved["b"], Pair)
    assert moved["b"].ids.is_meta
    assert moved["b"].words[0].is_meta
    assert moved["b"].words[1] == 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either steps or epochs, got steps=None and epochs=None"),
        ({"steps": 3, "epochs": 3}, "either steps or epochs, got steps=3 and epochs=3"),
        ({"epochs": 3}, "batches with a length, since epochs was given, got function. Pass steps"),
        ({"steps": 0}, "steps to be at least 1, got 0"),
        ({"steps": 5, "warmup": 5}, r"warmup to be from 0 to 4 \(steps - 1\), got 5"),
        ({"steps": 5, "decay": "step"}, "decay to be one of .*'linear'.*got 'step'"),
        ({"steps": 5, "clip": 0.0}, "clip to be above 0, or None"),
        ({"steps": 5, "validate_every": 0}, "validate_every to be at least 1 step"),
        ({"steps": 5, "patience": 0}, "patience to be at least 1"),
        ({"steps": 5, "better": "bigger"}, "better to be one of"),
        ({"steps": 5, "dtype": torch.float64}, "dtype to be one of torch.float32.*got torch.float64"),
        ({"steps": 5, "validate": []}, "at least one batch to validate on"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(options, message):
    model = make_model()
    with pytest.raises(ValueError, match=message):
        quiet(model, loss, draw_batch, **options)


@pytest.mark.parametrize("name", ["steps", "warmup", "validate_every", "patience"])
def test_a_number_of_steps_is_whole(name, without_type_checks):
    with pytest.raises(ValueError, match=f"{name} to be a whole number, got 0.5"):
        quiet(make_model(), loss, draw_batch, **({"steps": 5} | {name: 0.5}))


@pytest.fixture
def without_type_checks():
    """As in a notebook, where nobody compares arguments with the annotations."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


def test_a_rate_beside_an_optimizer_is_refused():
    model = make_model()
    with pytest.raises(ValueError, match="learning_rate or optimizer, got both"):
        quiet(
            model, loss, draw_batch, steps=1, learning_rate=0.1, optimizer=torch.optim.SGD(model.parameters(), lr=1.0)
        )


def test_a_model_that_cannot_learn_is_refused():
    with pytest.raises(ValueError, match="parameters that require a gradient, got Tanh with none"):
        quiet(nn.Tanh(), loss, draw_batch, steps=1)


def test_frozen_parameters_stay_as_they_are():
    model = make_model()
    model[0].requires_grad_(False)
    before = state_of(model)
    quiet(model, loss, draw_batch, steps=3)
    assert torch.equal(model[0].weight, before["0.weight"])
    assert not torch.equal(model[3].weight, before["3.weight"])


@pytest.mark.parametrize(
    ("wrong", "got"),
    [
        (lambda model, batch: (model(batch[0])[:, 0] - batch[1]).square(), r"shape \(13,\)"),
        (lambda model, batch: loss(model, batch).detach(), "requires_grad=False"),
        (lambda model, batch: loss(model, batch).item(), r"got \d"),
        (lambda model, batch: None, "got None"),
    ],
)
def test_a_loss_that_is_no_single_number_with_a_gradient_is_refused(wrong, got):
    with pytest.raises(ValueError, match=rf"one number \(a tensor of shape \(\)\).*{got}"):
        quiet(make_model(), wrong, draw_batch, steps=1)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_loss_that_diverges_is_an_error_that_names_the_step(bad):
    factors = iter([1.0, 1.0, bad, 1.0, 1.0])
    with pytest.raises(FloatingPointError, match=f"The loss of step 3 is {bad}: .*lower learning_rate"):
        quiet(make_model(), lambda model, batch: loss(model, batch) * next(factors), draw_batch, steps=5)


def test_after_a_divergence_the_best_weights_are_there():
    seen = []

    def diverging(model, batch):
        return loss(model, batch) * (math.nan if len(seen) == 2 else 1.0)

    def validate(model):
        seen.append(state_of(model))
        return 1.0 if len(seen) == 1 else 2.0

    model = make_model()
    with pytest.raises(FloatingPointError, match="step 5"):
        quiet(model, diverging, draw_batch, steps=5, validate=validate, validate_every=2)
    assert same(state_of(model), seen[0])


def test_exhausted_or_missing_batches_are_errors(without_type_checks):
    with pytest.raises(ValueError, match=r"gone through again and again.*used up after one pass"):
        quiet(make_model(), loss, iter([make_rows()] * 3), steps=4)
    with pytest.raises(ValueError, match="gone through again and again"):
        quiet(make_model(), loss, [], steps=4)
    with pytest.raises(ValueError, match="a list, a DataLoader or a function of a generator, got int"):
        quiet(make_model(), loss, 13, steps=4)


def test_an_iterator_does_for_as_many_steps_as_it_has_batches():
    assert quiet(make_model(), loss, iter([make_rows()] * 3), steps=3).steps == 3


@pytest.mark.gpu
def test_the_same_call_trains_on_a_gpu(tmp_path):
    seen = set()

    def watching(model, batch):
        seen.add((batch[0].device.type, torch.get_autocast_dtype("cuda"), torch.is_autocast_enabled("cuda")))
        return loss(model, batch)

    model = make_model(dropout=0.1)
    history = fit(
        model,
        watching,
        draw_batch,
        steps=200,
        learning_rate=0.02,
        validate=[make_rows()],
        show=False,
        checkpoint=tmp_path / "gpu.safetensors",
    )
    assert next(model.parameters()).is_cuda
    assert {(kind, on) for kind, _, on in seen} == {("cuda", True)}
    assert history.best < history.validation[0]
    again = make_model(dropout=0.1)
    fit(
        again,
        watching,
        draw_batch,
        steps=200,
        learning_rate=0.02,
        validate=[make_rows()],
        show=False,
        resume=True,
        device="cpu",
        checkpoint=tmp_path / "gpu.safetensors",
    )
    assert same({name: tensor.cpu() for name, tensor in state_of(model).items()}, state_of(again))


def test_an_optimiser_of_ones_own_has_its_rates_back_afterwards():
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.03)
    quiet(model, loss, draw_batch, steps=5, optimizer=optimizer, decay="linear")
    assert [group["lr"] for group in optimizer.param_groups] == [0.03]


@pytest.mark.parametrize(("width", "threads"), [(30, 1), (600, 2)])
def test_a_small_model_is_trained_by_one_thread(width, threads):
    """Two threads would wait for each other; a large model keeps those that torch has, and so does whatever comes afterwards."""
    before, seen = torch.get_num_threads(), []
    torch.set_num_threads(2)

    def counted(model, batch):
        seen.append(torch.get_num_threads())
        return model(batch).square().mean()

    try:
        quiet(nn.Linear(width, width), counted, [torch.ones(2, width)], steps=2)
        assert seen == [threads] * 2
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
