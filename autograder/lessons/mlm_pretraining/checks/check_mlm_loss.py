"""mlm_loss(logits, labels)."""

import torch

from autograder.checks import SIZE, Draw, Loss, Student, exercise, expect, points, promises
from autograder.lessons.mlm_pretraining.references import IGNORE

NAME = "mlm_loss"
V = 11


def _labels(draw: Draw, rows, columns, share=0.4):
    """Labels from 1 to V − 1: of every three rows, one has about that share of them, the next twice as many, the last none."""
    labels = 1 + draw.integers(V - 1, rows, columns)
    counts = (share * columns * torch.tensor([1.0, 2.0, 0.0])).round()
    counts[:2].clamp_(min=1, max=columns)
    hidden = draw.normal(rows, columns).argsort(dim=1) >= counts[torch.arange(rows) % 3, None]
    return labels.masked_fill(hidden, IGNORE)


def _want(logits, labels):
    """Add up −log p(token) token by token."""
    logs = logits.double() - torch.logsumexp(logits.double(), dim=-1, keepdim=True)
    losses = [-logs[b, n, labels[b, n]] for b, n in (labels != IGNORE).nonzero().tolist()]
    return sum(losses) / len(losses) if losses else logits.sum().double() * 0


LOSS = Loss(NAME, _want, "labels", "chosen token")


@exercise(NAME)
@points(1)
def check_one_number(student: Student, draw: Draw) -> None:
    """The loss is one number, a tensor of shape (), of the dtype of the logits"""
    for shape in ((2, 3), (3, 5), (5, 3)):
        labels = _labels(draw, *shape)
        for dtype in (torch.float64, torch.float32):
            logits = draw.normal(*shape, V, dtype=dtype)
            loss = LOSS.value(student, logits, labels)
            expect.dtype(loss, dtype, "The loss")
            known = 5.0 * torch.nn.functional.one_hot(labels.clamp(min=0), V).to(dtype)
            expect.depends_on_its_inputs(loss, LOSS.value(student, known, labels), "The loss")


@exercise(NAME)
@points(2)
def check_the_mean_over_the_chosen_tokens(student: Student, draw: Draw) -> None:
    """It is the mean of −log p(label) over all labels of the batch that are not −100"""
    for shape in ((1, 1), (1, 2), (1, 4), (2, 2), (3, 5), (4, 7), (7, 3)):
        for share in (0.15, 0.5, 1.0):
            labels = _labels(draw, *shape, share)
            LOSS.compare(student, draw.normal(*shape, V), labels)


@exercise(NAME)
@points(1)
def check_all_others_do_not_count(student: Student, draw: Draw) -> None:
    """Logits where the label is −100 change nothing; a label of 0 is a label like any other"""
    labels = _labels(draw, 4, 7)
    labels[0, int((labels[0] != IGNORE).nonzero()[0])] = 0
    logits = draw.normal(4, 7, V)
    loss = LOSS.compare(student, logits, labels, "label 0 among them")
    other = torch.where((labels == IGNORE)[..., None], draw.normal(4, 7, V, scale=9.0), logits)
    expect.allclose(
        LOSS.value(student, other, labels),
        loss.detach().double(),
        "The loss",
        size=SIZE,
        setting=f"{LOSS.describe(logits, labels)}, other logits where the label is −100",
        message="Logits of tokens that were not chosen change the loss.",
    )
    LOSS.compare(student, logits, torch.zeros(4, 7, dtype=torch.int64), "all labels 0")


@exercise(NAME)
@points(1)
def check_nothing_is_chosen(student: Student, draw: Draw) -> None:
    """Without any chosen token, the loss is 0 and its gradients are 0, never NaN"""
    for shape in ((1, 1), (2, 5)):
        labels = torch.full(shape, IGNORE)
        LOSS.is_zero(student, draw.normal(*shape, V), labels, "no token is chosen")
    LOSS.depends(student, draw, _labels(draw, 2, 5), V)


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients of the logits have the right values: zeros where the label is −100"""
    for shape in ((1, 2), (3, 5), (5, 3)):
        LOSS.gradient_agrees(student, draw.normal(*shape, V), _labels(draw, *shape))


@exercise(NAME)
@points(1)
def check_large_logits(student: Student, draw: Draw) -> None:
    """Logits of any size give the right loss, in float32 too"""
    LOSS.large_logits(student, draw, _labels(draw, 3, 6), V)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """The same input gives the same output, for other memory layouts and in float32 too, and the input is not changed"""
    labels, others = _labels(draw, 3, 6), _labels(draw, 3, 6)
    for dtype in (torch.float32, torch.float64):
        LOSS.same_again(student, draw.normal(3, 6, V, dtype=dtype), labels, others)
