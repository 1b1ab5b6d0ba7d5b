"""hard_negatives(queries, documents, targets, k, skip=0)."""

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    Student,
    exercise,
    expect,
    points,
    promises,
    raises_value_error,
)
from autograder.checks import inputs as plain
from autograder.lessons.retrieval import references

NAME = "hard_negatives"
WHAT = "The ids"
#: Queries, documents and their width, the smallest first.
SIZES = ((1, 2, 3), (1, 5, 2), (2, 3, 3), (5, 5, 3), (3, 11, 5), (7, 37, 13))


def _inputs(draw: Draw, B: int, M: int, D: int) -> tuple[Tensor, Tensor, Tensor]:
    """Draw queries that mostly find their own document best, as after training, and others that do not."""
    documents, targets = draw.normal(M, D), draw.integers(M, B)
    return documents[targets] + draw.normal(B, D, scale=0.7), documents, targets


def _agree(student: Student, inputs: tuple, k: int, skip: int | None = None, more: str = "") -> Tensor:
    queries, documents, targets = inputs
    setting = (
        f"queries {tuple(queries.shape)}, documents {tuple(documents.shape)}, targets {targets.tolist()[:8]}, k = {k}"
    )
    setting += ("" if skip is None else f", skip = {skip}") + more
    found = _ids(student, inputs, k, skip, setting)
    want = references.hard_negatives(queries.double(), documents.double(), targets, k, skip or 0)
    if not torch.equal(found, want):
        row = int((found != want).any(dim=1).nonzero()[0])
        own = int(targets[row]) in found[row].tolist()
        raise CheckFailure(
            "value",
            "The right document is among the negatives." if own else "These are not the hardest negatives.",
            setting=setting,
            expected=f"row {row}: {want[row].tolist()}",
            yours=f"row {row}: {found[row].tolist()}",
            received=found.double(),
            wanted=want.double(),
        )
    return found


def _ids(student: Student, inputs: tuple, k: int, skip: int | None, setting: str) -> Tensor:
    """Return the student's ids, of shape (B, k), whichever they are."""
    options = {} if skip is None else {"skip": skip}
    found = expect.tensor(student.call(NAME, *inputs, k, **options), WHAT)
    expect.shape(found, (len(inputs[0]), k), WHAT, "(B, k)", setting)
    plain.id_tensor(found, WHAT)
    return found


@exercise(NAME)
@points(2)
def check_best_wrong_documents(student: Student, draw: Draw) -> None:
    """The k documents with the largest products, the best first, without the right one"""
    for B, M, D in SIZES:
        for k in sorted({1, (M - 1) // 2 or 1, M - 1}):
            _agree(student, _inputs(draw, B, M, D), k)


@exercise(NAME)
@points(1)
def check_skip(student: Student, draw: Draw) -> None:
    """The `skip` highest-scoring wrong documents are left out, too"""
    for B, M, D in SIZES[1:]:
        for skip in sorted({0, 1, M - 2}):
            _agree(student, _inputs(draw, B, M, D), 1, skip)
    _agree(student, _inputs(draw, 3, 11, 5), 4, 3)


@exercise(NAME)
@points(1)
def check_refused(student: Student, draw: Draw) -> None:
    """With fewer than k + skip wrong documents, k below 1 or skip below 0, there is a ValueError"""
    inputs = _inputs(draw, 3, 7, 5)
    _ids(student, inputs, 4, 2, "7 documents, k = 4, skip = 2, as many as there are")
    for k, skip in ((7, 0), (4, 3), (0, 0), (2, -1)):
        what = f"7 documents, k = {k}, skip = {skip}"
        raises_value_error(
            what,
            "Test for it, and raise a ValueError that says what is wrong.",
            lambda *x: student.call(NAME, *x),
            *inputs,
            k,
            skip,
        )


def _below_zero(inputs: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """Return inputs of float32 with the same order of products, all far below 0: one more column takes as much from each."""
    queries, documents, targets = (x.float() if x.is_floating_point() else x for x in inputs)
    most = 1 + float((queries @ documents.T).max())
    queries = torch.cat((queries, torch.ones(len(queries), 1)), dim=1)
    return 2.0**17 * queries, torch.cat((documents, torch.full((len(documents), 1), -most)), dim=1), targets


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """Other dtypes, memory layouts and earlier calls change nothing, and nothing is changed in place"""
    inputs = _inputs(draw, 5, 11, 3)
    _agree(student, _below_zero(inputs), 3, more=", float32, all products negative")
    turned = inputs[0].T.contiguous().T, inputs[1].T.contiguous().T, inputs[2]
    _agree(student, turned, 3, more=", transposed tensors")
    before = [(inputs[0].flip(0), *inputs[1:], 2), (inputs[0][:2], inputs[1][:4], inputs[2][:2] % 4, 1)]
    answer = student.answer(Request(NAME, (*inputs, 3), before=before))
    plain.equal(expect.tensor(answer.value, WHAT).tolist(), references.hard_negatives(*inputs, 3).tolist(), WHAT)
