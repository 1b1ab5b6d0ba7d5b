"""smoothed_loss(logits, expected, smoothing=0.1, pad=PAD)."""

import torch
from torch.nn import functional

from autograder.checks import Draw, Loss, Student, exercise, expect, points, promises
from autograder.lessons.translation.references import END, PAD

NAME = "smoothed_loss"
V = 11
#: How many words each sentence expects, END included; the rest is padding. The smallest first.
LENGTHS = ((1,), (2,), (1, 3), (2, 2), (5, 1, 2), (3, 7, 2, 1), (4, 4, 4))


def _expected(draw: Draw, lengths, more=0, pad=PAD):
    rows = torch.full((len(lengths), max(lengths) + more), pad)
    words = torch.tensor([word for word in range(V) if word not in (pad, END)])
    for row, length in zip(rows, lengths, strict=True):
        row[:length] = words[draw.integers(len(words), length)]
        row[length - 1] = END
    return rows


def _want(logits, expected, smoothing=0.1, pad=PAD):
    """PyTorch's own, over the real words."""
    real = expected != pad
    if not real.any():
        return logits.sum().double() * 0
    return functional.cross_entropy(logits.double()[real], expected[real], label_smoothing=smoothing)


LOSS = Loss(NAME, _want, "expected", "real word")


@exercise(NAME)
@points(1)
def check_one_number(student: Student, draw: Draw) -> None:
    """The loss is one number, a tensor of shape (), of the dtype of the logits"""
    for lengths in LENGTHS:
        expected = _expected(draw, lengths)
        for dtype in (torch.float64, torch.float32):
            loss = LOSS.value(student, draw.normal(*expected.shape, V, dtype=dtype), expected)
            expect.dtype(loss, dtype, "The loss")
    LOSS.depends(student, draw, expected, V)


@exercise(NAME)
@points(1)
def check_without_smoothing(student: Student, draw: Draw) -> None:
    """With smoothing 0 it is the cross-entropy of the expected words"""
    for lengths in LENGTHS[3::3]:  # no padding
        expected = _expected(draw, (max(lengths),) * len(lengths))
        LOSS.compare(student, draw.normal(*expected.shape, V), expected, "smoothing = 0", smoothing=0.0)


@exercise(NAME)
@points(2)
def check_smoothing(student: Student, draw: Draw) -> None:
    """The expected word gets 1 - smoothing, and smoothing is shared by all V words, the expected one among them"""
    for lengths in ((1,), (3,), (2, 2), (5, 5, 5)):
        expected = _expected(draw, lengths)
        for smoothing in (0.1, 0.3, 0.9, 1.0):
            # Not larger: what a small number inside the logarithm changes would be as large as what is accepted as rounding,
            # and the verdict a matter of luck. Large logits have a check of their own.
            logits = draw.normal(*expected.shape, V)
            LOSS.compare(student, logits, expected, f"smoothing = {smoothing}", smoothing=smoothing)
        LOSS.compare(student, logits, expected, "smoothing left out (0.1)")


@exercise(NAME)
@points(2)
def check_padding_does_not_count(student: Student, draw: Draw) -> None:
    """It is the mean over all real words of the batch, END included: padding is neither in the sum nor in the count"""
    for lengths in LENGTHS:
        for more in (0, 3):
            expected = _expected(draw, lengths, more)
            logits = draw.normal(*expected.shape, V)
            for smoothing in (0.0, 0.1, 0.4):
                LOSS.compare(student, logits, expected, f"smoothing = {smoothing}", smoothing=smoothing)


@exercise(NAME)
@points(1)
def check_pad(student: Student, draw: Draw) -> None:
    """`pad` says which id is padding; with another one, 0 is a word like any other"""
    for lengths in LENGTHS:
        for pad in (V - 1, 5):
            expected = _expected(draw, lengths, 1, pad)
            expected[:, 0] = torch.where(expected[:, 0] == END, END, 0)
            LOSS.compare(student, draw.normal(*expected.shape, V), expected, f"pad = {pad}", pad=pad)


@exercise(NAME)
@points(1)
def check_nothing_but_padding(student: Student, draw: Draw) -> None:
    """Without any real word, the loss is 0 and its gradients are 0, never NaN"""
    for B, T in ((1, 1), (2, 3)):
        LOSS.is_zero(student, draw.normal(B, T, V), torch.full((B, T), PAD), "padding only")
    LOSS.depends(student, draw, _expected(draw, (1, 3)), V)


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients of the logits have the right values, zeros at padding"""
    for lengths in LENGTHS:
        expected = _expected(draw, lengths, 1)
        LOSS.gradient_agrees(student, draw.normal(*expected.shape, V), expected)


@exercise(NAME)
@points(1)
def check_large_logits(student: Student, draw: Draw) -> None:
    """Logits of any size give the right loss, in float32 too"""
    LOSS.large_logits(student, draw, _expected(draw, (4, 4, 4)), V)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """The same input gives the same output, for other memory layouts and in float32 too, and the input is not changed"""
    padded, expected = _expected(draw, (1, 4, 2)), _expected(draw, (4, 4, 4))
    for dtype in (torch.float32, torch.float64):
        LOSS.same_again(student, draw.normal(*expected.shape, V, dtype=dtype), expected, padded)
