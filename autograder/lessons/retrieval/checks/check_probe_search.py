"""probe_search(queries, documents, centroids, order, starts, k, probes) -> (values, ids)."""

import torch
from torch import Tensor

from autograder.checks import Draw, Request, Student, exercise, expect, points, promises, raises_value_error
from autograder.lessons.retrieval import references
from autograder.lessons.retrieval.checks import top

NAME = "probe_search"
#: Queries, documents, centroids and their width, the smallest first.
SIZES = ((1, 1, 1, 2), (1, 5, 2, 2), (2, 7, 3, 3), (3, 3, 5, 3), (5, 37, 5, 3), (31, 101, 11, 7))


def _inputs(draw: Draw, B: int, M: int, C: int, D: int) -> tuple[Tensor, ...]:
    """Draw queries, documents and centroids, and the lists: within a list the order is any."""
    documents, centroids = draw.normal(M, D), draw.normal(C, D)
    return _with_lists(draw, draw.normal(B, D), documents, centroids)


def _with_lists(draw: Draw, queries: Tensor, documents: Tensor, centroids: Tensor) -> tuple[Tensor, ...]:
    order, starts = references.inverted_lists(documents, centroids)
    for c in range(len(centroids)):
        part = order[starts[c] : starts[c + 1]]
        order[starts[c] : starts[c + 1]] = part[torch.randperm(len(part), generator=draw.generator)]
    return queries, documents, centroids, order, starts


def _want(inputs: tuple[Tensor, ...], k: int, probes: int) -> tuple[Tensor, Tensor]:
    """Return what is right, computed in float64."""
    queries, documents, centroids, order, starts = inputs
    return references.probe_search(queries.double(), documents.double(), centroids.double(), order, starts, k, probes)


def _agree(student: Student, inputs: tuple[Tensor, ...], k: int, probes: int, more: str = "") -> None:
    queries, documents, centroids = inputs[:3]
    setting = f"{len(queries)} queries, {len(documents)} documents, {len(centroids)} centroids, k = {k}, probes = {probes}{more}"
    want = _want(inputs, k, probes)
    scores = queries.double() @ documents.double().T
    values, _ = top.agree(student.call(NAME, *inputs, k, probes), want, scores, setting)
    expect.dtype(values, queries.dtype, "values", setting)


@exercise(NAME)
@points(2)
def check_all_lists(student: Student, draw: Draw) -> None:
    """With probes = C it finds the best k of all documents"""
    for B, M, C, D in SIZES:
        for k in sorted({1, M // 2 + 1, M}):
            _agree(student, _inputs(draw, B, M, C, D), k, C)


@exercise(NAME)
@points(7)
def check_nearest_lists(student: Student, draw: Draw) -> None:
    """It looks into the lists of the query's nearest centroids, each query into its own, and into no others"""
    for B, M, C, D in SIZES[1:]:
        for probes in sorted({1, C // 2 + 1}):
            _agree(student, _inputs(draw, B, M, C, D), 1, probes)
            _agree(student, _inputs(draw, B, M, C, D), 3, probes)


@exercise(NAME)
@points(2)
def check_too_few(student: Student, draw: Draw) -> None:
    """Where the lists hold fewer than k documents, the rest is −inf and −1, also where they are all empty"""
    for B, M, C, D in SIZES:
        _agree(student, _inputs(draw, B, M, C, D), M + 2, C)
        _agree(student, _inputs(draw, B, M, C, D), M, 1)
    queries, *rest = _inputs(draw, 31, 101, 11, 7)
    _agree(student, (2.0**17 * queries, *rest), 19, 2, ", large products")
    queries, documents = draw.normal(3, 3).abs(), -draw.normal(5, 3).abs()
    centroids = torch.tensor([[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], dtype=torch.float64)
    queries[0, 0] += 3  # one query is nearest to centroid 1, and one to centroid 2
    queries[1, 1] += 3
    inputs = queries, documents, centroids, *references.inverted_lists(documents, centroids)
    _agree(student, inputs, 2, 2, ", the nearest lists are empty")


@exercise(NAME)
@points(2)
def check_refused(student: Student, draw: Draw) -> None:
    """k below 1, probes below 1 and more probes than centroids raise a ValueError"""
    inputs = _inputs(draw, 2, 11, 3, 5)
    top.found(student.call(NAME, *inputs, 2, 3), (2, 2), "3 centroids, k = 2, probes = 3, which is none too many")
    for k, probes in ((0, 1), (2, 0), (2, 4)):
        call = lambda *x: student.call(NAME, *x)  # noqa: E731
        raises_value_error(
            f"3 centroids, k = {k}, probes = {probes}",
            "Test k and probes, and raise a ValueError.",
            call,
            *inputs,
            k,
            probes,
        )


@exercise(NAME)
@points(2)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """Other dtypes, memory layouts and earlier calls change nothing, and nothing is changed in place"""
    inputs = _with_lists(draw, draw.normal(31, 3), draw.normal(61, 3), top.star(3))
    single = tuple(x.float() if x.is_floating_point() else x for x in inputs)
    _agree(student, single, 4, 2, ", float32")
    _agree(student, (*(x.T.contiguous().T for x in inputs[:3]), *inputs[3:]), 4, 2, ", transposed tensors")
    answer = student.answer(Request(NAME, (*inputs, 4, 2), before=[(inputs[0].flip(0), *inputs[1:], 4, 1)]))
    want = _want(inputs, 4, 2)
    top.agree(answer.value, want, inputs[0] @ inputs[1].T, "after other calls")
