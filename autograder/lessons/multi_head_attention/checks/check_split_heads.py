"""split_heads(X, num_heads)."""

import torch

from autograder.checks import (
    Draw,
    Request,
    Sizes,
    Student,
    computes,
    exercise,
    expect,
    points,
    promises,
    raises_value_error,
)
from autograder.lessons.multi_head_attention import references

NAME = "split_heads"
D_H = 11


def _leads(sizes: Sizes):
    return [(), (sizes.B,), (sizes.B, sizes.D_V), (1, 1)]


def _compare(student: Student, X, num_heads):
    H = expect.tensor(student.split_heads(X, num_heads), "The result")
    want = references.split_heads(X, num_heads)
    setting = f"X {tuple(X.shape)}, num_heads = {num_heads}"
    expect.shape(H, want.shape, "The result", "(…, H, N, D_H)", setting)
    expect.allclose(H, want, "The result", size=4.0, setting=setting)
    return H


@exercise(NAME)
@points(1)
def check_shape(student: Student, sizes: Sizes, draw: Draw) -> None:
    """(…, N, D) becomes (…, H, N, D_H), with any leading axes"""
    for lead in _leads(sizes):
        X = draw.normal(*lead, sizes.N_Q, sizes.H * D_H)
        got = expect.tensor(student.split_heads(X, sizes.H), "The result")
        expect.shape(got, (*lead, sizes.H, sizes.N_Q, D_H), "The result", "(…, H, N, D_H)", f"X {tuple(X.shape)}")
        expect.depends_on_its_inputs(got, student.split_heads(X.square(), sizes.H), "The result")


@exercise(NAME)
@points(2)
def check_columns(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Head h holds the columns h·D_H to (h + 1)·D_H − 1 of every vector"""
    small = torch.arange(12.0, dtype=torch.float64).reshape(2, 6)  # two vectors of width 6: the smallest example first
    for num_heads in (2, 3):
        _compare(student, small, num_heads)
    for lead in _leads(sizes):
        _compare(student, draw.normal(*lead, sizes.N_Q, sizes.H * D_H), sizes.H)


@exercise(NAME)
@points(1)
def check_one_head_and_as_many_heads_as_columns(student: Student, sizes: Sizes, draw: Draw) -> None:
    """One head, as many heads as columns, one vector: nothing special happens"""
    for N, D, num_heads in [(sizes.N_Q, sizes.D_Q, 1), (sizes.N_Q, sizes.D_Q, sizes.D_Q), (1, 12, 4), (4, 4, 4)]:
        _compare(student, draw.normal(sizes.B, N, D), num_heads)


@exercise(NAME)
@points(1)
@promises
def check_other_memory_layouts_and_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """It works on transposed inputs, keeps the dtype, changes nothing in place, and gradients flow back"""
    X = draw.normal(sizes.B, sizes.H * D_H, sizes.N_Q).mT  # not contiguous
    _compare(student, X, sizes.H)
    whole = draw.integers(100, sizes.B, sizes.N_Q, sizes.H * D_H).float()
    answer = student.answer(Request(NAME, (whole, sizes.H)))
    expect.dtype(expect.tensor(answer.value, "The result"), torch.float32, "The result")
    expect.allclose(answer.value, references.split_heads(whole, sizes.H), "The result", size=100.0)
    cotangent = draw.normal(sizes.B, sizes.H, sizes.N_Q, D_H)
    found = student.answer(Request(NAME, (X, sizes.H), cotangents=(cotangent,))).gradients
    expect.gradients(found, [references.merge_heads(cotangent)], ("X",), f"X {tuple(X.shape)}")


@exercise(NAME)
@points(1)
def check_num_heads_must_divide(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A number of heads that does not divide the width raises an error"""
    computes(student.split_heads, (draw.normal(2, 3, 24), 8), (draw.normal(2, 3, 24), 8), "The result")
    X = draw.normal(sizes.B, 6, 10)  # 6 vectors of width 10: their 60 numbers could be dealt out to 3 or 4 heads
    for num_heads in (3, 4, 20):
        raises_value_error(
            f"A width of 10 with {num_heads} heads",
            "Compare D % num_heads with 0 before anything else, and raise a ValueError that says what was expected.",
            student.split_heads,
            X,
            num_heads,
            sentence=True,
        )
