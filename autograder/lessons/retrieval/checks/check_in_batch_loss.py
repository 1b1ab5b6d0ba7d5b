"""in_batch_loss(queries, documents, ids, log_frequency=None)."""

import torch
from torch import Tensor

from autograder.checks import (
    Draw,
    Request,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    points,
    promises,
)

NAME = "in_batch_loss"
WHAT = "The loss"
#: Queries, documents and their width, the smallest first; as many queries as the width, and more documents than queries.
SIZES = ((1, 1, 3), (1, 2, 3), (2, 2, 3), (3, 3, 3), (3, 5, 2), (7, 7, 5), (5, 11, 13))


def _want(queries: Tensor, documents: Tensor, ids: Tensor, log_frequency: Tensor | None = None) -> Tensor:
    """Row by row and column by column."""
    found = []
    for b in range(len(queries)):
        row = []
        for m in range(len(documents)):
            if m == b or ids[m] != ids[b]:
                own = queries[b] @ documents[m]
                row.append(own if log_frequency is None else own - log_frequency[m])
        right = queries[b] @ documents[b] - (0.0 if log_frequency is None else log_frequency[b])
        found.append(torch.stack(row).logsumexp(dim=0) - right)
    return torch.stack(found).mean()


def _vectors(draw: Draw, B: int, M: int, D: int, scale: float = 1.0) -> tuple[Tensor, Tensor]:
    return draw.normal(B, D, scale=scale), draw.normal(M, D, scale=scale)


def _different(draw: Draw, M: int) -> Tensor:
    """Draw ids of which none comes twice, in any order."""
    return torch.randperm(3 * M, generator=draw.generator)[:M]


def _repeated(draw: Draw, M: int) -> Tensor:
    """Draw ids of which many come again, but of more than two not all are the same: else there would be nothing wrong."""
    different = max(M // 2, 2)
    ids = draw.integers(different, M)
    ids[-1] = ids[0]
    if M > 2:
        ids[1] = (ids[0] + 1) % different
    return 10 + ids


def _frequencies(ids: Tensor, draw: Draw) -> Tensor:
    """Draw the logarithm of a frequency for each document; the same document has the same."""
    each = draw.normal(int(ids.max()) + 1, scale=1.5) - 4.0
    return each[ids]


def _agree(
    student: Student,
    queries: Tensor,
    documents: Tensor,
    ids: Tensor,
    log_frequency: Tensor | None = None,
    more: str = "",
) -> Tensor:
    shown = ids.tolist() if len(ids) <= 8 else f"{ids[:8].tolist()} …"
    with_logs = "" if log_frequency is None else ", with log_frequency"
    setting = f"queries {tuple(queries.shape)}, documents {tuple(documents.shape)}, ids {shown}{with_logs}{more}"
    rest = () if log_frequency is None else (log_frequency,)
    loss = expect.tensor(student.in_batch_loss(queries, documents, ids, *rest), WHAT)
    expect.shape(loss, (), WHAT, "one number", setting)
    parts = queries.double(), documents.double(), ids, None if log_frequency is None else log_frequency.double()
    size = float((parts[0] @ parts[1].T).abs().max()) if queries.dtype == torch.float32 else 1.0
    expect.allclose(loss, _want(*parts), WHAT, size=max(4.0, 4 * size), setting=setting)
    return loss


@exercise(NAME)
@points(4)
def check_every_other_document_is_wrong(student: Student, draw: Draw) -> None:
    """Each query's own document, in the same row, against all others: the mean of −log softmax over the documents"""
    for B, M, D in SIZES:
        _agree(student, *_vectors(draw, B, M, D), _different(draw, M))


@exercise(NAME)
@points(3)
def check_accidental_hits(student: Student, draw: Draw) -> None:
    """A document with the id of the query's own, in another row, is no wrong answer: it is left out for this query"""
    for B, M, D in SIZES[1:]:
        _agree(student, *_vectors(draw, B, M, D), _repeated(draw, M))
    _agree(student, *_vectors(draw, 3, 3, 2), torch.tensor([7, 7, 7]))


@exercise(NAME)
@points(3)
def check_frequencies(student: Student, draw: Draw) -> None:
    """log_frequency[m] is subtracted from all similarities with document m, also from those of its own query"""
    for B, M, D in SIZES[1:]:
        for ids in (_different(draw, M), _repeated(draw, M)):
            _agree(student, *_vectors(draw, B, M, D), ids, _frequencies(ids, draw))


@exercise(NAME)
@points(1)
def check_large_similarities(student: Student, draw: Draw) -> None:
    """Similarities of any magnitude give the right number, in float32 too"""
    for scale, shift in ((5.0, 0.0), (30.0, 0.0), (30.0, -20.0)):
        for dtype in (torch.float64, torch.float32):
            queries, documents = (x.to(dtype) for x in _vectors(draw, 11, 13, 7, scale))
            # All similarities below 0, or most.
            queries[:, 0], documents[:, 0] = (
                1.0,
                shift * scale**2 + documents[:, 0],
            )
            loss = _agree(student, queries, documents, _repeated(draw, 13), more=f", scale {scale:.0f}, {dtype}")
            expect.dtype(loss, dtype, WHAT)


@exercise(NAME)
@points(3)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients of both have the right values; of a hit that is left out, none comes"""
    for B, M, D in SIZES[1:]:
        ids = _repeated(draw, M)
        inputs = (*_vectors(draw, B, M, D), ids, _frequencies(ids, draw))
        leaves = [x.clone().requires_grad_() for x in inputs[:2]]
        want = torch.autograd.grad(_want(leaves[0], leaves[1], *inputs[2:]), leaves)
        one = torch.ones((), dtype=torch.float64)
        answer = student.answer(Request(NAME, inputs, cotangents=(one,)))
        setting = f"queries {(B, D)}, documents {(M, D)}, ids {ids.tolist()}"
        expect.gradients(answer.gradients[:2], want, ("queries", "documents"), setting)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """Earlier calls, other memory layouts and devices change nothing, and nothing is changed in place"""
    ids = _repeated(draw, 13)
    queries, documents = _vectors(draw, 11, 13, 3)
    inputs = (queries, documents, ids, _frequencies(ids, draw))
    before = [(queries.flip(0), documents, ids), (queries[:2], documents[:3], ids[:3])]
    answer = student.answer(Request(NAME, inputs, before=before))
    expect.allclose(expect.tensor(answer.value, WHAT), _want(*inputs), WHAT, size=4.0, setting="after other calls")
    _agree(student, queries.T.contiguous().T, documents.T.contiguous().T, *inputs[2:], ", transposed tensors")
    function_works_where_its_inputs_are(student, NAME, *inputs)
