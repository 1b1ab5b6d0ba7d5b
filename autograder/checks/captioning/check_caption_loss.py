"""caption_loss(logits, captions, pad=PAD)."""

import torch

from autograder import expect
from autograder.failure import CheckFailure
from autograder.marks import exercise, points
from autograder.references import END, PAD, START
from autograder.student import Request

NAME = "caption_loss"
V = 11
#: How many words each caption has between START and END; the rest is padding. The smallest first.
LENGTHS = ((1, 3), (0, 4), (5, 1, 2), (2, 2, 7, 0), (6, 0))
#: Rounding is far smaller, but dividing by a count plus some 1e-8 is no mistake, and the mistakes are far larger.
SIZE = 1e7


def _captions(draw, lengths, longest=None, pad=PAD):
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


def _loss(student, logits, captions, setting="", **options):
    loss = expect.tensor(student.caption_loss(logits, captions, **options), "The loss")
    expect.shape(loss, (), "The loss", "one number", setting or _describe(logits, captions))
    return loss


def _describe(logits, captions):
    shown = ", ".join(str(row) for row in captions[:3].tolist()) + (", …" if len(captions) > 3 else "")
    return f"logits {tuple(logits.shape)}, captions {shown}"


def _compare(student, logits, captions, more="", **options):
    setting = _describe(logits, captions) + (f", {more}" if more else "")
    loss = _loss(student, logits, captions, setting, **options)
    want = _want(logits, captions, options.get("pad", PAD))
    expect.close(loss, want, "The loss", size=SIZE if loss.dtype == torch.float64 else 10.0, setting=setting)
    return loss


@exercise(NAME)
@points(1)
def check_one_number(student, draw):
    """The loss is one number, a tensor of shape (), of the dtype of the logits"""
    for lengths in LENGTHS:
        captions = _captions(draw, lengths)
        for dtype in (torch.float64, torch.float32):
            logits = draw.normal(*captions.shape, V, dtype=dtype)
            loss = _loss(student, logits, captions)
            expect.dtype(loss, dtype, "The loss")
            known = 5.0 * torch.nn.functional.one_hot(captions.roll(-1, 1), V).to(dtype)  # what comes next is known
            expect.depends_on_its_inputs(loss, _loss(student, known, captions), "The loss")


@exercise(NAME)
@points(2)
def check_every_word_is_predicted_from_the_words_before_it(student, draw):
    """The logits at position t are compared with the word at t + 1; the last logits are about nothing"""
    # Two positions, one prediction; then more words, all captions of the same length.
    for lengths in ((0,), (1,), (0, 0, 0), (2, 2), (3,), (5, 5, 5)):
        captions = _captions(draw, lengths)
        logits = draw.normal(*captions.shape, V)
        loss = _compare(student, logits, captions)
        other = logits.clone()
        other[:, -1] = draw.normal(len(lengths), V, scale=5.0)
        expect.close(
            _loss(student, other, captions), loss.detach().double(), "The loss", size=SIZE,
            setting=f"{_describe(logits, captions)}, other logits at the last position",
            message="The last logits change the loss, though no word comes after them.",
        )  # fmt: skip


@exercise(NAME)
@points(2)
def check_padding_does_not_count(student, draw):
    """It is the mean over all real words of the batch, END included: padding is neither in the sum nor in the count"""
    for lengths in LENGTHS:
        for more in (0, 3):  # padding behind the longest caption too
            captions = _captions(draw, lengths, max(lengths) + more)
            logits = draw.normal(*captions.shape, V)
            loss = _compare(student, logits, captions)
            other = logits.clone()
            other[:, :-1][captions[:, 1:] == PAD] += 10.0 * torch.eye(V, dtype=torch.float64)[PAD]
            expect.close(
                _loss(student, other, captions), loss.detach().double(), "The loss", size=SIZE,
                setting=f"{_describe(logits, captions)}, other logits where padding comes next",
                message="Logits about padding change the loss.",
            )  # fmt: skip
    cut = _captions(draw, (5, 2, 4), 5)[:, :-2]  # long captions that were cut have no END
    _compare(student, draw.normal(*cut.shape, V), cut)


@exercise(NAME)
@points(1)
def check_pad(student, draw):
    """`pad` says which id is padding; with another one, 0 is a word like any other"""
    for lengths in LENGTHS:
        for pad in (V - 1, 5):
            captions = _captions(draw, lengths, max(lengths) + 1, pad)
            captions[:, 1] = torch.where(captions[:, 1] == END, END, 0)
            logits = draw.normal(*captions.shape, V)
            _compare(student, logits, captions, f"pad = {pad}", pad=pad)


@exercise(NAME)
@points(1)
def check_nothing_but_padding(student, draw):
    """Without any real word to predict, the loss is 0 and its gradients are 0, never NaN"""
    for what, captions in (
        ("START and padding only", torch.tensor([[START, PAD, PAD], [START, PAD, PAD]])),
        ("one position, so no word comes after it", torch.tensor([[START], [START], [START]])),
    ):
        logits = draw.normal(*captions.shape, V)
        setting = f"{_describe(logits, captions)} ({what})"
        loss = _loss(student, logits, captions, setting)
        if not float(loss) == 0.0:
            raise CheckFailure(
                "value", "Without any real word, the loss should be 0.", expected="0", yours=f"{float(loss):.4g}",
                setting=setting, received=loss.detach(), wanted=torch.zeros(()),
                cause="0/0 without real words" if bool(loss.isnan()) else "",
                hint="The mean over no words at all is 0/0. A batch of nothing but padding should neither stop the "
                "training nor spoil the weights." if bool(loss.isnan()) else "",
            )  # fmt: skip
        [gradient] = _gradients(student, logits, captions, setting)
        if gradient is not None and bool(gradient.ne(0).any()):
            raise CheckFailure(
                "gradient", "The loss is 0, but its gradients are not.", setting=setting, received="gradients",
                yours=expect.numbers(gradient[0, 0]), cause="not a number" if bool(gradient.isnan().any()) else "",
                hint="A NaN that is replaced at the end is still there in the gradient. Divide by at least 1 instead.",
            )  # fmt: skip
    captions = _captions(draw, (1, 3))
    logits = draw.normal(*captions.shape, V)
    first, second = (_loss(student, factor * logits, captions) for factor in (1, 2))
    expect.depends_on_its_inputs(first, second, "The loss")


def _gradients(student, logits, captions, setting):
    try:
        cotangent = torch.ones((), dtype=logits.dtype)
        return student.answer(Request(NAME, (logits, captions), cotangents=(cotangent,))).gradients
    except CheckFailure as failure:
        if failure.kind == "detached":
            failure.setting = setting
            failure.hint = (
                "loss.backward() stops with an error for such a loss, in the middle of a training. " + failure.hint
            )
        raise


@exercise(NAME)
@points(1)
def check_gradients(student, draw):
    """The gradients of the logits have the right values: zeros at padding and at the last position"""
    for lengths in LENGTHS:
        captions = _captions(draw, lengths, max(lengths) + 1)
        logits = draw.normal(*captions.shape, V)
        setting = _describe(logits, captions)
        _loss(student, logits, captions, setting)
        [found] = _gradients(student, logits, captions, setting)
        if found is None:
            raise CheckFailure("detached", "No gradient reaches the logits.", received="logits", cause="no gradient")
        leaf = logits.clone().requires_grad_()
        [want] = torch.autograd.grad(_want(leaf, captions), leaf)
        message = "The gradient of the logits is wrong."
        expect.close(found, want, "d/dlogits", size=SIZE, setting=setting, message=message)


@exercise(NAME)
@points(1)
def check_large_logits(student, draw):
    """Logits of any size give the right loss, in float32 too"""
    for scale in (30.0, 300.0, 3000.0):
        for dtype in (torch.float64, torch.float32):
            captions = _captions(draw, (4, 4, 4))
            logits = draw.normal(*captions.shape, V, scale=scale, dtype=dtype)
            setting = f"logits of about ±{scale:.0f}, {dtype}"
            loss, want = _loss(student, logits, captions, setting), _want(logits, captions)
            size = SIZE if dtype == torch.float64 else 10 * scale
            expect.close(loss, want, "The loss", size=size, setting=setting)


@exercise(NAME)
@points(1)
def check_same_input_same_output(student, draw):
    """The same input gives the same output, for other memory layouts and in float32 too, and is not changed"""
    padded = _captions(draw, (1, 4, 2))
    captions = _captions(draw, (4, 4, 4))
    for dtype in (torch.float32, torch.float64):
        logits = draw.normal(*captions.shape, V, dtype=dtype)
        expect.unchanged(
            (logits, padded), student.answer(Request(NAME, (logits, padded))).args_after, ("logits", "captions")
        )
        first = _compare(student, logits, captions, str(dtype))
        again = _loss(student, logits, captions)
        expect.close(again, first.detach().double(), "The loss", message="The same call gives another loss.")
        stacked = (
            logits.transpose(0, 1).contiguous().transpose(0, 1)
        )  # as torch.stack(steps).transpose(0, 1) makes them
        _compare(student, stacked, captions.T.contiguous().T, f"transposed tensors, {dtype}")
