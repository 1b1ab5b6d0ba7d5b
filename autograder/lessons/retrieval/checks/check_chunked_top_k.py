"""chunked_top_k(queries, documents, k, chunk=4096) -> (values, ids)."""

import functools

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    SpeedTarget,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    measured,
    points,
    promises,
    raises_value_error,
)
from autograder.lessons.retrieval.checks import top

NAME = "chunked_top_k"
#: (queries, documents, width): what is raced, and what memory is measured for: all its products are far more than what a process
#: may need besides.
HELD = (512, 60_013, 32)
RACE, K = (64, 60_013, 32), 10
SPEED = SpeedTarget(
    NAME,
    full=1.5,
    part=3.0,
    against="torch.topk over all products",
    setting=f"(queries, documents, width) = {RACE}, k = {K}, float32, one thread, processor time",
    hint="What happens for each chunk should be one matrix product and a choice of k, for all queries together. A Python "
    "loop over queries or documents, and a complete sort where a choice would do, cost most.",
)
#: (B, M, D, k, chunk), the smallest first: one document, chunks of one, whole chunks, a remainder below k, one chunk for all.
CASES = (
    (1, 1, 2, 1, 1),
    (1, 3, 2, 2, 1),
    (2, 4, 3, 4, 2),
    (3, 11, 5, 3, 4),
    (3, 11, 5, 7, 5),
    (5, 5, 5, 5, 64),
    (2, 37, 3, 11, 7),
    (7, 101, 13, 1, 10),
)


def _agree(student: Student, inputs: tuple[Tensor, Tensor], k: int, chunk: int | None = None, more: str = "") -> None:
    queries, documents = inputs
    options = {} if chunk is None else {"chunk": chunk}
    setting = f"queries {tuple(queries.shape)}, documents {tuple(documents.shape)}, k = {k}"
    setting += ("" if chunk is None else f", chunk = {chunk}") + more
    scores = queries.double() @ documents.double().T
    values, _ = top.agree(student.call(NAME, *inputs, k, **options), torch.topk(scores, k), scores, setting)
    expect.dtype(values, queries.dtype, "values", setting)


@exercise(NAME)
@points(2)
def check_exact(student: Student, draw: Draw) -> None:
    """The k largest products of each query, the largest first, and the ids of their documents"""
    for B, M, D, k, _ in CASES:
        _agree(student, top.vectors(draw, B, M, D), k)


@exercise(NAME)
@points(2)
def check_any_chunk(student: Student, draw: Draw) -> None:
    """The same for any chunk: smaller than k, no divisor of the number of documents, or larger than all"""
    for B, M, D, k, chunk in CASES:
        _agree(student, top.vectors(draw, B, M, D), k, chunk)
        queries, documents = top.vectors(draw, B, M, D)
        _agree(student, (queries.abs(), -documents.abs()), k, chunk, ", all products below 0")


@exercise(NAME)
@points(1)
@promises
def check_dtype_and_inputs_are_kept(student: Student, draw: Draw) -> None:
    """It keeps dtype and device, works on any memory layout and with many equal products, and changes nothing in place"""
    for dtype in (torch.float64, torch.float32):
        inputs = top.vectors(draw, 3, 23, 5, dtype)
        _agree(student, inputs, 4, 7, f", {dtype}")
        _agree(student, (inputs[0].T.contiguous().T, inputs[1].T.contiguous().T), 4, 7, ", transposed tensors")
        _agree(student, (2.0**17 * inputs[0].abs(), -inputs[1].abs()), 4, 7, ", all products far below 0")
        few = inputs[0].round(), inputs[1].sign()
        _agree(student, few, 23, 5, ", many products are equal")
    # Whole numbers, whose products half precision holds exactly. A tensor of float32 joined with float64 would be float64 again.
    _agree(student, (inputs[0].round().half(), inputs[1].sign().half()), 4, 7, ", torch.float16")
    before = [(inputs[0].flip(0), inputs[1], 4), (inputs[0][:1], inputs[1][:9], 4)]
    answer = student.answer(Request(NAME, (*inputs, 4), {"chunk": 7}, before=before))
    scores = inputs[0].double() @ inputs[1].double().T
    top.agree(answer.value, torch.topk(scores, 4), scores, "after other calls")
    function_works_where_its_inputs_are(student, NAME, *inputs, 4, 7)


@exercise(NAME)
@points(1)
def check_refused(student: Student, draw: Draw) -> None:
    """More than all documents, k below 1, and chunks of nothing raise a ValueError"""
    inputs = top.vectors(draw, 2, 5, 3)
    _agree(student, inputs, 5, 2)
    for k, chunk in ((6, 2), (0, 2), (2, 0), (2, -1)):
        call = lambda *x: student.call(NAME, *x)  # noqa: E731
        raises_value_error(
            f"5 documents, k = {k}, chunk = {chunk}",
            "Test k and chunk, and raise a ValueError.",
            call,
            *inputs,
            k,
            chunk,
        )


def _drawn(draw: Draw, B: int, M: int, D: int) -> tuple[Tensor, Tensor, int]:
    return *top.vectors(draw, B, M, D, torch.float32), K


@exercise(NAME)
@points(2)
@measured
def check_memory(student: Student, draw: Draw) -> None:
    """It never holds all products: at most a tenth of their memory, which does not grow in proportion to the documents"""
    B, M, D = HELD
    _agree(student, top.vectors(draw, 3, 23, 5), 4, 7)
    peaks = {}
    for documents in (M // 4, M):
        fresh = functools.partial(_drawn, draw, B, documents, D)
        peaks[documents] = student.peak_memory(NAME, fresh, chunk=1024)
    whole = 4 * B * M
    # The best k of each chunk, merged at the end, are 2.4 times as many numbers; a part of all products is four times as many.
    grows = peaks[M] > 3 * max(peaks[M // 4], 2**19)
    if peaks[M] > whole / 10 or grows:
        raise CheckFailure(
            "memory",
            "Too much memory is held at once.",
            setting=f"{B} queries, {M} documents, k = {K}, chunk = 1024, float32",
            expected=f"at most {whole / 10 / 2**20:.1f} MiB, a tenth of all products, and at most three times "
            "what a quarter of the documents takes",
            yours=", ".join(f"{peak / 2**20:.1f} MiB for {count} documents" for count, peak in peaks.items()),
            received="memory",
            cause="memory grows with the documents" if grows else "too much memory for a chunk",
            hint="Of each chunk only the best k are of use later. What is kept from chunk to chunk, and how large does it get?",
        )


@exercise(NAME)
@points(3)
@measured
def check_speed(student: Student, draw: Draw) -> None:
    """At most 1.5 times the time of one matrix product and torch.topk over all (half the points up to 3 times)"""
    B, M, D = RACE

    fresh = functools.partial(_drawn, draw, B, M, D)

    def right() -> None:
        queries, documents, k = fresh()
        scores = queries.double() @ documents.double().T
        setting = f"(queries, documents, width) = {RACE}"
        top.agree(student.call(NAME, queries, documents, k), torch.topk(scores, k), scores, setting)

    SPEED.check(student, fresh, right)
