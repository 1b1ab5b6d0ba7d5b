"""caption_loss(logits, captions, pad=PAD)."""

import torch

from autograder.checks import SIZE, Draw, Loss, Student, exercise, expect, points, promises
from autograder.lessons.captioning.references import END, PAD, START

NAME = "caption_loss"
V = 11
#: How many words each caption has between START and END; the rest is padding. The smallest first.
LENGTHS = ((1, 3), (0, 4), (5, 1, 2), (2, 2, 7, 0), (6, 0))


def _captions(draw: Draw, lengths, longest=None, pad=PAD):
    """START, words, END and padding, one row for each length."""
    T = (max(lengths) if longest is None else longest) + 2
    captions = torch.full((len(lengths), T), pad)
    words = [word for word in range(V) if word not in (pad, START, END)]
    for caption, length in zip(captions, lengths, strict=True):
        caption[0], caption[length + 1] = START, END
        caption[1 : length + 1] = torch.tensor(words)[draw.integers(len(words), length)]
    return captions


def _want(logits, captions, pad=PAD):
    """Add up −log p(word) word by word."""
    logs = logits.double() - torch.logsumexp(logits.double(), dim=-1, keepdim=True)
    losses = [
        -logs[b, t, captions[b, t + 1]]
        for b in range(captions.shape[0])
        for t in range(captions.shape[1] - 1)
        if captions[b, t + 1] != pad
    ]
    return sum(losses) / len(losses) if losses else logits.sum().double() * 0


LOSS = Loss(NAME, _want, "captions", "real word")


@exercise(NAME)
@points(1)
def check_one_number(student: Student, draw: Draw) -> None:
    """The loss is one number, a tensor of shape (), of the dtype of the logits"""
    for lengths in LENGTHS:
        captions = _captions(draw, lengths)
        for dtype in (torch.float64, torch.float32):
            logits = draw.normal(*captions.shape, V, dtype=dtype)
            loss = LOSS.value(student, logits, captions)
            expect.dtype(loss, dtype, "The loss")
            known = 5.0 * torch.nn.functional.one_hot(captions.roll(-1, 1), V).to(dtype)  # what comes next is known
            expect.depends_on_its_inputs(loss, LOSS.value(student, known, captions), "The loss")


@exercise(NAME)
@points(2)
def check_every_word_is_predicted_from_the_words_before_it(student: Student, draw: Draw) -> None:
    """The logits at position t are compared with the word at t + 1; the last logits are about nothing"""
    # Two positions, one prediction; then more words, all captions of the same length.
    for lengths in ((0,), (1,), (0, 0, 0), (2, 2), (3,), (5, 5, 5)):
        captions = _captions(draw, lengths)
        logits = draw.normal(*captions.shape, V)
        loss = LOSS.compare(student, logits, captions)
        other = logits.clone()
        other[:, -1] = draw.normal(len(lengths), V, scale=5.0)
        expect.allclose(
            LOSS.value(student, other, captions),
            loss.detach().double(),
            "The loss",
            size=SIZE,
            setting=f"{LOSS.describe(logits, captions)}, other logits at the last position",
            message="The last logits change the loss, though no word comes after them.",
        )


@exercise(NAME)
@points(2)
def check_padding_does_not_count(student: Student, draw: Draw) -> None:
    """It is the mean over all real words of the batch, END included: padding is neither in the sum nor in the count"""
    for lengths in LENGTHS:
        for more in (0, 3):  # padding behind the longest caption too
            captions = _captions(draw, lengths, max(lengths) + more)
            logits = draw.normal(*captions.shape, V)
            loss = LOSS.compare(student, logits, captions)
            other = logits.clone()
            other[:, :-1][captions[:, 1:] == PAD] += 10.0 * torch.eye(V, dtype=torch.float64)[PAD]
            expect.allclose(
                LOSS.value(student, other, captions),
                loss.detach().double(),
                "The loss",
                size=SIZE,
                setting=f"{LOSS.describe(logits, captions)}, other logits where padding comes next",
                message="Logits about padding change the loss.",
            )
    cut = _captions(draw, (5, 2, 4), 5)[:, :-2]  # long captions that were cut have no END
    LOSS.compare(student, draw.normal(*cut.shape, V), cut)


@exercise(NAME)
@points(1)
def check_pad(student: Student, draw: Draw) -> None:
    """`pad` says which id is padding; with another one, 0 is a word like any other"""
    for lengths in LENGTHS:
        for pad in (V - 1, 5):
            captions = _captions(draw, lengths, max(lengths) + 1, pad)
            captions[:, 1] = torch.where(captions[:, 1] == END, END, 0)
            logits = draw.normal(*captions.shape, V)
            LOSS.compare(student, logits, captions, f"pad = {pad}", pad=pad)


@exercise(NAME)
@points(1)
def check_nothing_but_padding(student: Student, draw: Draw) -> None:
    """Without any real word to predict, the loss is 0 and its gradients are 0, never NaN"""
    for what, captions in (
        ("START and padding only", torch.tensor([[START, PAD, PAD], [START, PAD, PAD]])),
        ("one position, so no word comes after it", torch.tensor([[START], [START], [START]])),
    ):
        LOSS.is_zero(student, draw.normal(*captions.shape, V), captions, what)
    LOSS.depends(student, draw, _captions(draw, (1, 3)), V)


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients of the logits have the right values: zeros at padding and at the last position"""
    for lengths in LENGTHS:
        captions = _captions(draw, lengths, max(lengths) + 1)
        LOSS.gradient_agrees(student, draw.normal(*captions.shape, V), captions)


@exercise(NAME)
@points(1)
def check_large_logits(student: Student, draw: Draw) -> None:
    """Logits of any size give the right loss, in float32 too"""
    LOSS.large_logits(student, draw, _captions(draw, (4, 4, 4)), V)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """The same input gives the same output, for other memory layouts and in float32 too, and the input is not changed"""
    padded = _captions(draw, (1, 4, 2))
    captions = _captions(draw, (4, 4, 4))
    for dtype in (torch.float32, torch.float64):
        LOSS.same_again(student, draw.normal(*captions.shape, V, dtype=dtype), captions, padded)
