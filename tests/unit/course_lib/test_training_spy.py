"""The spies see what a training loop does, in its order."""

import pytest
import torch

from course_lib.training import SpyBatches, SpyLoss, SpyModel, SpyOptimizer, SpyRate, read_notes


def loop(batches, groups=False):
    """Go through the batches as a loop should, and return the model."""
    model, loss_of = SpyModel(torch.tensor([1.0, -2.0, 0.5])), SpyLoss()
    rate_of = SpyRate([0.1, 0.2])
    optimizer = SpyOptimizer("SGD", groups)(model.parameters())
    model.train()
    for step, batch in enumerate(batches, start=1):
        for group in optimizer.param_groups:
            group["lr"] = rate_of(step)
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
    model.eval()
    return model


def draw():
    return torch.randn(5, 3), torch.randn(5), torch.zeros(12, 7)


@pytest.mark.parametrize("groups", [False, True])
def test_everything_is_noted_in_its_order(groups):
    batches = [draw(), draw()]
    model = loop(batches, groups)
    step = ["zero_grad", "forward", "backward", "step"]
    assert read_notes(batches[0][2]) == ["train", *step, "zero_grad"]
    assert read_notes(batches[1][2]) == [*step[1:], "eval"]
    first, second = (notes[notes[:, 0] == 7][0] for _, _, notes in batches)
    assert (first[1], second[1]) == (0.1, 0.2)
    assert first[3:].tolist() == [1.0, -2.0, 0.5, 0.0]  # before the first step
    assert first[2] > 0
    assert torch.equal(batches[1][2][3, 3:6], model.weight)


def test_without_rows_nothing_is_noted_and_nothing_stops():
    batch = (torch.randn(5, 3), torch.randn(5), torch.zeros(0, 7))
    loop([batch])


def test_rates_are_those_of_the_steps_that_there_are():
    rate_of = SpyRate([0.5])
    assert rate_of(1) == 0.5
    for step in (0, 2):
        with pytest.raises(ValueError, match="Expected steps from 1 to 1"):
            rate_of(step)


def test_a_step_with_a_closure_is_noted_when_the_parameters_move():
    _, y, notes = batch = draw()
    model, loss_of = SpyModel(torch.zeros(3)), SpyLoss()
    optimizer = SpyOptimizer("Adam")(model.parameters())

    def closure():
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        return loss

    with torch.no_grad():
        loss = optimizer.step(closure)
    assert read_notes(notes) == ["zero_grad", "forward", "backward", "step"]
    assert torch.isclose(loss, y.square().mean())
    assert model.weight.any()


def test_batches_of_a_stream_have_no_length():
    assert list(SpyBatches([1, 2])) == [1, 2]
    with pytest.raises(TypeError, match="no len"):
        len(SpyBatches([]))  # type: ignore[arg-type]  # that it has no length is what is tested
