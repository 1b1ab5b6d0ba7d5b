"""inverted_lists(documents, centroids) -> (order, starts)."""

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Request, Student, exercise, expect, points, promises
from autograder.checks import inputs as plain
from autograder.lessons.retrieval import references
from autograder.lessons.retrieval.checks import top

NAME = "inverted_lists"
#: Documents, centroids and their width, the smallest first; more centroids than documents.
SIZES = ((1, 1, 2), (3, 1, 2), (3, 2, 2), (2, 5, 3), (1, 13, 3), (2, 17, 3), (7, 7, 3), (37, 5, 3), (101, 11, 7))


def _inputs(draw: Draw, M: int, C: int, D: int, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    return draw.normal(M, D, dtype=dtype), draw.normal(C, D, dtype=dtype)


def _both(student: Student, documents: Tensor, centroids: Tensor, more: str = "") -> tuple[Tensor, Tensor, str]:
    """Return the student's order and starts, of the right shapes, and what was asked."""
    setting = f"documents {tuple(documents.shape)}, centroids {tuple(centroids.shape)}{more}"
    order, starts = expect.pair(student.inverted_lists(documents, centroids), "order", "starts")
    expect.shape(order, (len(documents),), "order", "(M,)", setting)
    expect.shape(starts, (len(centroids) + 1,), "starts", "(C + 1,)", setting)
    for part, name in ((order, "order"), (starts, "starts")):
        plain.id_tensor(part, name)
    return order, starts, setting


def _agree(student: Student, documents: Tensor, centroids: Tensor, more: str = "") -> None:
    """Compare each list with the right one; within a list any order will do."""
    order, starts, setting = _both(student, documents, centroids, more)
    _starts(starts, documents, centroids, setting)
    right, borders = references.inverted_lists(documents, centroids)
    for c in range(len(centroids)):
        own, want = (sorted(ids[borders[c] : borders[c + 1]].tolist()) for ids in (order, right))
        if own != want:
            raise CheckFailure(
                "value",
                f"The list of centroid {c} holds the wrong documents.",
                setting=setting,
                expected=f"in any order {want[:12]}",
                yours=f"{own[:12]}",
                received=order.double(),
                wanted=right.double(),
            )


def _starts(starts: Tensor, documents: Tensor, centroids: Tensor, setting: str) -> None:
    plain.equal(starts.tolist(), references.inverted_lists(documents, centroids)[1].tolist(), "starts", setting)


@exercise(NAME)
@points(2)
def check_lists(student: Student, draw: Draw) -> None:
    """order[starts[c] : starts[c + 1]] are the documents whose largest product is that with centroid c"""
    for M, C, D in SIZES:
        _agree(student, *_inputs(draw, M, C, D))


@exercise(NAME)
@points(1)
def check_empty_lists(student: Student, draw: Draw) -> None:
    """starts has C + 1 numbers, from 0 to M, also where lists are empty, the first or the last among them"""
    for M, C, D in SIZES[2:]:
        documents, centroids = _inputs(draw, M, C, D)
        for empty in ([0], [C - 1], [0, C // 2]):
            far = centroids.abs()
            far[empty] = -far[empty] * 10
            _agree(student, documents.abs(), far, f", nothing is near centroids {empty}")


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """Other dtypes, memory layouts and earlier calls change nothing, and nothing is changed in place"""
    inputs = draw.normal(301, 3), top.star(3)
    _agree(student, inputs[0].float(), inputs[1].float(), ", float32")
    _agree(student, inputs[0].T.contiguous().T, inputs[1].T.contiguous().T, ", transposed tensors")
    answer = student.answer(
        Request(NAME, inputs, before=[(inputs[0].flip(0), inputs[1]), (inputs[0][:5], inputs[1][:2])])
    )
    _, starts = expect.pair(answer.value, "order", "starts")
    _starts(starts, *inputs, "after other calls")
