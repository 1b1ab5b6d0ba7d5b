"""next_token_loss(logits, ids, documents=None, pad=None)."""

import torch

from autograder.checks import Draw, Loss, Student, exercise, expect, points, promises

NAME = "next_token_loss"
V = 11
#: (B, N), the smallest first: one place to predict, one row, as many rows as columns, more than ids.
SIZES = ((1, 2), (1, 3), (2, 5), (3, 3), (5, 2), (1, 31), (3, 7))


def _want(logits, ids, documents=None, pad=None):
    """Place by place, in float64."""
    logs, found = torch.log_softmax(logits.double(), dim=-1), []
    for b, row in enumerate(ids.tolist()):
        for i, token in enumerate(row[1:]):
            other = documents is not None and documents[b, i] != documents[b, i + 1]
            if token != pad and not other:
                found.append(-logs[b, i, token])
    return torch.stack(found).mean() if found else logits.double().sum() * 0


LOSS = Loss(NAME, _want, "ids", "place that counts")


def _ids(draw: Draw, B, N, without=None):
    """Draw ids of which neighbours differ, so that a wrong shift shows; none of them is ``without``."""
    allowed = torch.tensor([token for token in range(V) if token != without])
    steps = 1 + draw.integers(len(allowed) - 1, B, N)
    return allowed[steps.cumsum(1) % len(allowed)]


def _padded(draw: Draw, B, N, pad):
    """Rows of different lengths with padding behind; the first has none."""
    ids = _ids(draw, B, N, pad)
    for b in range(1, B):
        ids[b, 1 + (b * N) // (B + 1) :] = pad
    if B == 1:
        ids[0, N - N // 3 :] = pad
    return ids


def _documents(B, N):
    """Numbers of documents: every row has borders of its own."""
    places = torch.arange(N)
    return torch.stack([7 - (places + 2 * b) // max(2 + b % 2, N // 3) for b in range(B)])


@exercise(NAME)
@points(1)
def check_one_number(student: Student, draw: Draw) -> None:
    """The loss is one number, a tensor of shape (), of the dtype of the logits"""
    for B, N in SIZES:
        ids = _ids(draw, B, N)
        for dtype in (torch.float64, torch.float32):
            loss = LOSS.value(student, draw.normal(B, N, V, dtype=dtype), ids)
            expect.dtype(loss, dtype, "The loss")
    LOSS.depends(student, draw, ids, V)


@exercise(NAME)
@points(2)
def check_shifted_once(student: Student, draw: Draw) -> None:
    """Place i predicts token i + 1: the logits of the last place and the first token have no partner"""
    for B, N in SIZES:
        LOSS.compare(student, draw.normal(B, N, V, scale=2.0), _ids(draw, B, N))


@exercise(NAME)
@points(2)
def check_documents(student: Student, draw: Draw) -> None:
    """A token is not predicted from another document: such places are neither in the sum nor in the count"""
    for B, N in SIZES[1:]:
        ids, documents = _ids(draw, B, N), _documents(B, N)
        setting = f"documents {documents[:3].tolist()}"
        LOSS.compare(student, draw.normal(B, N, V, scale=2.0), ids, setting, documents=documents)


@exercise(NAME)
@points(2)
def check_padding(student: Student, draw: Draw) -> None:
    """Padding is not predicted, whichever id `pad` is; without `pad` every id is a token like any other"""
    for B, N in SIZES[1:]:
        for pad in (0, V - 1, 5):
            ids = _padded(draw, B, N, pad)
            LOSS.compare(student, draw.normal(B, N, V, scale=2.0), ids, f"pad = {pad}", pad=pad)
        LOSS.compare(student, draw.normal(B, N, V, scale=2.0), ids, "no pad")
        both = {"documents": _documents(B, N), "pad": pad}
        LOSS.compare(
            student,
            draw.normal(B, N, V, scale=2.0),
            ids,
            f"documents {both['documents'][:3].tolist()}, pad = {pad}",
            **both,
        )


@exercise(NAME)
@points(1)
def check_nothing_to_predict(student: Student, draw: Draw) -> None:
    """Where no place counts, the loss is 0 and its gradients are 0, never NaN"""
    for B, N in ((1, 1), (3, 1)):
        LOSS.is_zero(student, draw.normal(B, N, V), _ids(draw, B, N), "one column: nothing follows")
    ids, logits = _ids(draw, 2, 3), draw.normal(2, 3, V)
    apart = torch.arange(3).expand(2, 3)
    LOSS.compare(student, logits, ids, "a document for every token", documents=apart)
    LOSS.compare(student, logits, torch.full((2, 3), 4), "padding only", pad=4)
    LOSS.depends(student, draw, _ids(draw, 2, 3), V)


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients of the logits have the right values, zeros in the last place"""
    for B, N in SIZES:
        LOSS.gradient_agrees(student, draw.normal(B, N, V), _ids(draw, B, N))


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """The same input gives the same loss, for large logits, other memory layouts and in float32 too; the input is not changed"""
    ids = _ids(draw, 3, 5)
    LOSS.large_logits(student, draw, ids, V)
    for dtype in (torch.float32, torch.float64):
        LOSS.same_again(student, draw.normal(3, 5, V, dtype=dtype), ids, ids)
