"""train(model, loss_of, batches, make_optimizer, rate_of, clip=1.0)."""

import torch

from autograder.checks import CheckFailure, Draw, Student, exercise, expect, points, promises
from autograder.lessons.translation.checks.rehearsal import (
    NAME,
    NORM,
    PARAMETERS,
    RATE,
    Rehearsal,
    events,
    floats,
    rows,
)

#: The events that a step consists of; clearing the gradients may be noted at several places.
STEP = ["forward", "backward", "step"]
#: Forgotten, too early and too late give the same numbers.
NOT_CLIPPED = (
    "The steps go by the gradients as backward left them: the clipping is missing, or it comes before backward, when there is "
    "nothing to clip, or after the step, when it is too late. Look at the order of the six lines."
)


def _numbers(values):
    return torch.tensor(values, dtype=torch.float64)


def _one_step_each(notes, setting):
    """Fail unless every batch has exactly one forward, one backward and one step, in this order."""
    cores = []
    for one in notes:
        seen = [event.removesuffix(" in evaluation mode") for event in events([one])]
        cores.append([event for event in seen if event in STEP])
    for number, core in enumerate(cores, start=1):
        if core != STEP:
            raise CheckFailure(
                "order",
                f"Batch {number} is not forward, backward, step.",
                setting=setting,
                expected=", ".join(STEP),
                yours=", ".join(core) or "none of them",
                received=tuple(map(tuple, cores)),
                hint="Every batch makes one step: its loss first, then the gradients, and the step at the end.",
            )


def _agree(student: Student, case: Rehearsal):
    """Compare the parameters before every step and after the last one with those of PyTorch's own loop."""
    losses, notes = case.run(student)
    _one_step_each(notes, case.setting())
    want_losses, parameters, _ = case.right()
    before = torch.stack([rows(one, "step")[0, PARAMETERS] for one in notes])
    last = notes[-1][notes[-1][:, 0] > 0][-1, PARAMETERS]
    setting, size = case.setting(), 1e3
    message = "The parameters are wrong after some of the steps."
    expect.allclose(
        before, parameters[:-1], "The parameters before each step", size=size, setting=setting, message=message
    )
    expect.allclose(last, parameters[-1], "The parameters at the end", size=size, setting=setting, message=message)
    expect.allclose(_numbers(losses), _numbers(want_losses), "The losses", size=size, setting=setting)


@exercise(NAME)
@points(1)
def check_losses(student: Student, draw: Draw) -> None:
    """It returns the loss of every batch, before its step, as a list of floats; without batches an empty list"""
    for steps in (1, 2, 5):
        case = Rehearsal(draw, steps)
        losses, _ = case.run(student)
        want, *_ = case.right()
        expect.allclose(_numbers(losses), _numbers(want), "The losses", size=1e3, setting=case.setting())
    case = Rehearsal(draw, 0)
    floats(student.answer(case.request()).value, 0, "no batches")
    case = Rehearsal(draw, 3)
    losses = floats(student.answer(case.request(stream=True)).value, 3, "3 batches that have no length")
    expect.allclose(
        _numbers(losses), _numbers(case.right()[0]), "The losses", size=1e3, setting="3 batches that have no length"
    )


@exercise(NAME)
@points(2)
def check_order(student: Student, draw: Draw) -> None:
    """Every step clears the gradients, then goes forward, backward, and steps: nothing of an earlier batch is left"""
    case = Rehearsal(draw, 4)
    _, notes = case.run(student)
    _one_step_each(notes, case.setting())
    norms = torch.stack([rows(one, "step")[0, NORM] for one in notes])
    message = "The gradients of a step are not those of its own batch."
    expect.allclose(
        norms, case.right()[2], "The norms of the gradients", size=1e3, setting=case.setting(), message=message
    )


@exercise(NAME)
@points(2)
def check_three_steps(student: Student, draw: Draw) -> None:
    """After every step the parameters are those that PyTorch's optimiser gives, made once and used for all steps"""
    for kind in ("SGD", "Adam", "RMSprop"):
        _agree(student, Rehearsal(draw, 4, kind=kind))


@exercise(NAME)
@points(1)
def check_rate(student: Student, draw: Draw) -> None:
    """Step 1, 2, … has the rate rate_of(1), rate_of(2), …, in all groups of parameters"""
    for groups in (False, True):
        case = Rehearsal(draw, 4, groups=groups)
        _, notes = case.run(student)
        _one_step_each(notes, case.setting())
        rates = torch.stack([rows(one, "step")[0, RATE] for one in notes])
        message = "A step has the wrong rate."
        expect.allclose(rates, _numbers(case.rates), "The rates", setting=case.setting(), message=message)
        _agree(student, case)


@exercise(NAME)
@points(2)
def check_clip(student: Student, draw: Draw) -> None:
    """Before a step, gradients whose norm, all together, is above `clip` are shrunk to it; smaller ones stay as they are"""
    for clip, scale in ((0.5, 30.0), (3.0, 30.0), (None, 30.0), (1e3, 1.0)):
        case = Rehearsal(draw, 4, clip=clip, scale=scale)
        losses, notes = case.run(student)
        _one_step_each(notes, case.setting())
        norms = torch.stack([rows(one, "step")[0, NORM] for one in notes])
        want = case.right()[2]
        if not torch.allclose(norms, want, rtol=1e-4):
            never = torch.allclose(norms, case.unclipped().right()[2], rtol=1e-4)
            raise CheckFailure(
                "order" if never else "value",
                "The gradients that a step uses have another norm.",
                setting=case.setting(),
                expected=expect.numbers(want),
                yours=expect.numbers(norms),
                received=norms,
                wanted=want,
                cause="not clipped when the step is taken" if never else "",
                hint=NOT_CLIPPED if never else "",
            )
        # PyTorch's clipping adds 1e-6 to the norm.
        got, right = (_numbers(each).float() for each in (losses, case.right()[0]))
        expect.allclose(got, right, "The losses", size=1e3, setting=case.setting())


@exercise(NAME)
@points(1)
def check_modes(student: Student, draw: Draw) -> None:
    """The model is in training mode for every batch, however it came, and in evaluation mode at the end"""
    for training in (True, False):
        case = Rehearsal(draw, 3, training=training)
        _, notes = case.run(student)
        setting = f"{case.setting()}, the model comes in {'training' if training else 'evaluation'} mode"
        seen = events(notes)
        wrong = seen.count("forward in evaluation mode")
        last = [event for event in seen if event in ("train", "eval")][-1:]
        if wrong or last != ["eval"]:
            raise CheckFailure(
                "mode",
                f"{wrong} of 3 batches went forward in evaluation mode."
                if wrong
                else "The model does not end in evaluation mode.",
                setting=setting,
                expected="train, all batches, eval",
                yours=", ".join(event for event in seen if event in ("train", "eval") or event.startswith("forward")),
                received=f"{wrong} {last}",
                cause="not in training mode" if wrong else "not in evaluation mode at the end",
                hint="model.train() before the first batch, model.eval() after the last: dropout depends on it.",
            )
    _agree(student, case)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """The batches are not changed, and an earlier training leaves no trace"""
    case, other = Rehearsal(draw, 4, kind="Adam"), Rehearsal(draw, 3, kind="Adam", scale=3.0)
    answer = student.answer(case.request(before=(other.request().args,)))
    losses, want = floats(answer.value, 4, case.setting()), case.right()[0]
    expect.allclose(_numbers(losses), _numbers(want), "The losses", size=1e3, setting="after another training")
