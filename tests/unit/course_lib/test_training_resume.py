import functools
import os
import random
import signal
import threading

import numpy as np
import pytest
import torch
from small_training import draw_batch, loss, make_loader, make_model, make_rows, same, state_of

from course_lib.training import CheckpointError, fit, load_checkpoint, save_checkpoint
from course_lib.training.checkpoint import write_checkpoint

STEPS = 23


def noisy(model, batch):
    """A loss that draws from every random number generator there is, beside the model's dropout."""
    return loss(model, batch) * (1 + 0.1 * random.gauss(0, 1) + 0.1 * np.random.randn() + 0.1 * torch.rand(()).item())


def interrupted_at(step, how):
    """Return the noisy loss, in whose step number `step` (from 1, validations not counted) `how` is called."""
    calls = []

    def counting(model, batch):
        if model.training:
            calls.append(1)
            if len(calls) == step:
                how()
        return noisy(model, batch)

    return counting


def press_stop():
    os.kill(os.getpid(), signal.SIGINT)


def break_off():
    raise KeyboardInterrupt


BATCHES = {
    "drawn": lambda: draw_batch,
    "shuffled": lambda: make_loader(shuffle=True),
    "own generator": lambda: make_loader(shuffle=True, generator=torch.Generator().manual_seed(29)),
    "list": lambda: [make_rows()] * 3,
}


def train(batches, path=None, loss=noisy, make=None, **options):
    options = {"steps": STEPS, "learning_rate": 0.02, "warmup": 3, "seed": 7} | options
    model = make_model(dropout=0.2)
    if make is not None:
        options |= {"optimizer": make(model.parameters()), "learning_rate": None}
    history = fit(model, loss, batches, checkpoint=path, device="cpu", show=False, **options)
    return state_of(model), history


def outcome(history):
    return history.losses, history.validation, history.validation_steps, history.best, history.best_step


@pytest.mark.parametrize("step", [1, 5, 12, STEPS])
@pytest.mark.parametrize("name", BATCHES)
def test_going_on_gives_bit_for_bit_the_same_weights(tmp_path, name, step):
    path = tmp_path / "run.safetensors"
    options = {"validate": [make_rows()], "validate_every": 4}
    expected, history = train(BATCHES[name](), **options)
    with pytest.raises(KeyboardInterrupt, match=f"stopped after step {step} of {STEPS}.*resume=True continues"):
        train(BATCHES[name](), path, loss=interrupted_at(step, press_stop), **options)
    torch.manual_seed(99)
    got, resumed = train(BATCHES[name](), path, resume=True, **options)
    assert outcome(resumed) == outcome(history)
    assert same(got, expected)
    assert same(load_checkpoint(path).weights, expected)


@pytest.mark.parametrize("every", [2, 3])
def test_several_interruptions_in_a_row_change_nothing(tmp_path, every):
    path = tmp_path / "run.safetensors"
    expected, history = train(BATCHES["own generator"]())
    for _ in range(STEPS // every):
        with pytest.raises(KeyboardInterrupt):
            train(BATCHES["own generator"](), path, loss=interrupted_at(every, press_stop), resume=True)
    got, resumed = train(BATCHES["own generator"](), path, resume=True)
    assert same(got, expected)
    assert resumed.losses == history.losses


class Curriculum:
    """A loss that gets harder with the steps, towards what the model said when it began to."""

    def __init__(self):
        self.steps, self.goal = 0, None

    def __call__(self, model, batch):
        self.steps += 1
        if self.steps == 5:
            self.goal = model(batch[0]).detach()
        return loss(model, batch) if self.goal is None else (model(batch[0]) - self.goal - self.steps).square().mean()

    def state_dict(self):
        return {"steps": torch.tensor(self.steps)} | ({} if self.goal is None else {"goal": self.goal})

    def load_state_dict(self, state):
        self.steps, self.goal = int(state["steps"]), state.get("goal")


@pytest.mark.parametrize("step", [2, 5, 12])
def test_a_loss_with_a_state_goes_on_where_it_was(tmp_path, step):
    class Interrupted(Curriculum):
        def __call__(self, model, batch):
            value = super().__call__(model, batch)
            if self.steps == step:
                press_stop()
            return value

    path, (expected, history) = tmp_path / "run.safetensors", train(draw_batch, loss=Curriculum())
    with pytest.raises(KeyboardInterrupt):
        train(draw_batch, path, loss=Interrupted())
    got, resumed = train(draw_batch, path, loss=Curriculum(), resume=True)
    assert resumed.losses == history.losses
    assert same(got, expected)
    # A finished training has no such state.
    assert same(train(draw_batch, path, loss=Curriculum(), resume=True)[0], expected)


@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.Adagrad, torch.optim.RMSprop, torch.optim.AdamW])
def test_every_optimizer_s_state_is_kept(tmp_path, make):
    def run(path=None, loss=noisy, **options):
        model = make_model()
        momentum = {"momentum": 0.9} if make in (torch.optim.SGD, torch.optim.RMSprop) else {}
        optimizer = make(model.parameters(), lr=0.01, **momentum)
        fit(model, loss, draw_batch, steps=9, optimizer=optimizer, checkpoint=path, device="cpu", show=False, **options)
        return state_of(model)

    path, expected = tmp_path / "run.safetensors", run()
    with pytest.raises(KeyboardInterrupt):
        run(path, interrupted_at(4, press_stop))
    assert same(run(path, resume=True), expected)


def test_the_scale_of_float16_is_kept(tmp_path):
    def big(model, batch):  # overflows now and then, so that the scale changes
        return model[0].bias.sum() * float(10 ** (34 + 2 * torch.rand(()).item()))

    def run(path=None, loss=big, **options):
        model = make_model()
        sgd = torch.optim.SGD(model.parameters(), lr=1e-36)
        fit(
            model,
            loss,
            draw_batch,
            steps=9,
            optimizer=sgd,
            checkpoint=path,
            device="cpu",
            show=False,
            dtype=torch.float16,
            clip=None,
            **options,
        )
        return state_of(model)

    def stopping():
        calls = []

        def stop(model, batch):
            calls.append(1)
            if len(calls) == 5:
                press_stop()
            return big(model, batch)

        return stop

    path, expected = tmp_path / "run.safetensors", run()
    with pytest.raises(KeyboardInterrupt):
        run(path, stopping())
    assert load_checkpoint(path).facts["scaler"]["scale"] < 2.0**16
    assert same(run(path, resume=True), expected)


def test_patience_and_the_best_weights_survive_an_interruption(tmp_path):
    def run(values, path=None, loss=noisy, **options):
        left = iter(values)
        return train(draw_batch, path, loss, validate=lambda model: next(left), validate_every=2, patience=3, **options)

    path, (expected, history) = tmp_path / "run.safetensors", run([5.0, 1.0, 2.0, 3.0, 4.0, 0.0])
    with pytest.raises(KeyboardInterrupt):
        run([5.0, 1.0, 2.0], path, interrupted_at(7, press_stop))
    halfway = load_checkpoint(path).weights
    got, resumed = run([3.0, 4.0, 0.0], path, resume=True)
    assert outcome(resumed) == outcome(history)
    assert (history.steps, history.best_step, history.stopped_early) == (10, 4, True)
    assert same(got, expected)
    assert same(halfway, expected)  # the best until then, which is what fit would have left


def test_an_abort_within_a_step_leaves_the_last_checkpoint(tmp_path):
    path = tmp_path / "run.safetensors"
    expected, _ = train(make_loader(shuffle=True))
    with pytest.raises(KeyboardInterrupt):
        train(make_loader(shuffle=True), path, loss=interrupted_at(8, break_off), save_every=0.0)
    assert load_checkpoint(path).metadata == {"steps": 7}
    got, _ = train(make_loader(shuffle=True), path, resume=True)
    assert same(got, expected)


def test_the_second_interruption_does_not_wait_for_the_step(tmp_path):
    after = []

    def twice():
        press_stop()
        press_stop()
        after.append("the step went on")

    with pytest.raises(KeyboardInterrupt):
        train(draw_batch, tmp_path / "run.safetensors", loss=interrupted_at(3, twice))
    assert after == []
    assert not (tmp_path / "run.safetensors").exists()


def test_the_stop_button_is_given_back():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt, match="Nothing was saved, since no checkpoint was asked for"):
        train(draw_batch, loss=interrupted_at(3, press_stop))
    assert signal.getsignal(signal.SIGINT) is before


def test_training_works_outside_the_main_thread():
    done = []
    thread = threading.Thread(target=lambda: done.append(train(draw_batch)))
    thread.start()
    thread.join()
    assert same(done[0][0], train(draw_batch)[0])


def test_without_a_file_resume_begins_at_the_beginning(tmp_path):
    path = tmp_path / "folder" / "run.safetensors"
    assert same(train(draw_batch, path, resume=True)[0], train(draw_batch)[0])
    assert path.exists()


def test_a_finished_training_is_not_trained_again(tmp_path):
    path, steps = tmp_path / "run.safetensors", []
    expected, history = train(draw_batch, path, validate=[make_rows()])
    before = path.read_bytes()
    got, again = train(
        draw_batch, path, loss=lambda m, b: steps.append(1) or loss(m, b), validate=[make_rows()], resume=True
    )
    assert steps == []
    assert same(got, expected)
    assert outcome(again) == outcome(history)
    assert path.read_bytes() == before


def test_the_last_file_is_hardly_larger_than_the_weights(tmp_path):
    train(draw_batch, tmp_path / "run.safetensors", validate=[make_rows()])
    checkpoint = load_checkpoint(tmp_path / "run.safetensors")
    assert set(checkpoint.training) == {"losses"}


def test_going_on_with_other_settings_is_refused_and_says_which(tmp_path):
    path = tmp_path / "run.safetensors"
    with pytest.raises(KeyboardInterrupt):
        train(draw_batch, path, loss=interrupted_at(3, press_stop))
    before = path.read_bytes()
    with pytest.raises(CheckpointError) as error:
        train(draw_batch, path, resume=True, learning_rate=0.05, steps=29)
    assert "steps: 23 then, 29 now" in str(error.value)
    assert "learning_rates: [0.02] then, [0.05] now" in str(error.value)
    assert "seed" not in str(error.value)
    assert "resume=False" in str(error.value)
    assert path.read_bytes() == before


def test_going_on_with_another_weight_decay_or_precision_is_refused(tmp_path):
    path = tmp_path / "run.safetensors"
    adam = functools.partial(torch.optim.AdamW, lr=0.02)
    with pytest.raises(KeyboardInterrupt):
        train(draw_batch, path, loss=interrupted_at(3, press_stop), make=functools.partial(adam, weight_decay=0.1))
    with pytest.raises(CheckpointError, match=r"weight_decay=0\.1.* then, .*weight_decay=0\.3"):
        train(draw_batch, path, resume=True, make=functools.partial(adam, weight_decay=0.3))
    with pytest.raises(CheckpointError, match=r"dtype: 'None' then, 'torch\.bfloat16' now"):
        train(draw_batch, path, resume=True, make=functools.partial(adam, weight_decay=0.1), dtype=torch.bfloat16)


@pytest.mark.parametrize("odd", [{"history": 3}, {"history": {"best": "x", "nothing": 1}}, {"settings": [1]}])
def test_a_file_with_odd_facts_is_refused_with_a_checkpoint_error(tmp_path, odd):
    path = tmp_path / "run.safetensors"
    with pytest.raises(KeyboardInterrupt):
        train(draw_batch, path, loss=interrupted_at(3, press_stop))
    there = load_checkpoint(path)
    write_checkpoint(make_model(), path, there.weights, there.metadata, there.training, there.facts | odd)
    with pytest.raises(CheckpointError):
        train(draw_batch, path, resume=True)


def test_going_on_from_weights_alone_is_refused(tmp_path):
    save_checkpoint(make_model(), tmp_path / "run.safetensors")
    with pytest.raises(CheckpointError, match="the state of a training to continue, got only weights"):
        train(draw_batch, tmp_path / "run.safetensors", resume=True)


def test_going_on_with_another_kind_of_batches_or_fewer_is_refused(tmp_path):
    path = tmp_path / "run.safetensors"
    with pytest.raises(KeyboardInterrupt):
        train([make_rows()] * 9, path, loss=interrupted_at(7, press_stop), validate_every=1)
    with pytest.raises(CheckpointError, match="at least the 7 batches of a pass"):
        train([make_rows()] * 5, path, resume=True, validate_every=1)
    with pytest.raises(CheckpointError, match="a checkpoint of this training"):
        train(draw_batch, path, resume=True, validate_every=1)


def test_a_diverged_training_does_not_overwrite_its_checkpoint(tmp_path):
    path, calls = tmp_path / "run.safetensors", []

    def diverging(model, batch):
        calls.append(1)
        return loss(model, batch) * (float("nan") if len(calls) == 6 else 1.0)

    with pytest.raises(FloatingPointError, match="The loss of step 6 is nan"):
        train(draw_batch, path, loss=diverging, save_every=0.0)
    assert load_checkpoint(path).metadata == {"steps": 5}


def test_weights_that_diverge_in_the_last_step_are_reported(tmp_path):
    def infinite_gradient(model, batch):
        return loss(model, batch) + 0 * model[0].bias.sum().mul(0).sqrt()

    with pytest.raises(CheckpointError, match=r"finite weights, got NaN or infinity in '0\.bias'"):
        train(draw_batch, tmp_path / "run.safetensors", loss=infinite_gradient, steps=1, warmup=0, clip=None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.gpu
def test_an_interrupted_training_goes_on_on_a_gpu(tmp_path):
    path = tmp_path / "run.safetensors"
    options = {"steps": STEPS, "learning_rate": 0.02, "show": False, "checkpoint": path}
    with pytest.raises(KeyboardInterrupt):
        fit(make_model(dropout=0.2), interrupted_at(9, press_stop), make_loader(shuffle=True), **options)
    assert load_checkpoint(path).training["random/cuda"].numel() > 0
    history = fit(make_model(dropout=0.2), noisy, make_loader(shuffle=True), resume=True, **options)
    whole = fit(make_model(dropout=0.2), noisy, make_loader(shuffle=True), **options)
    assert history.losses == pytest.approx(whole.losses, rel=1e-2)
