"""merge_heads(Y)."""

import itertools

import torch

from autograder.checks import Draw, Request, Sizes, Student, exercise, expect, points, promises
from autograder.lessons.multi_head_attention import references

NAME = "merge_heads"
D_H = 11


def _compare(student: Student, Y):
    got = expect.tensor(student.merge_heads(Y), "The result")
    want = references.merge_heads(Y)
    expect.shape(got, want.shape, "The result", "(…, N, H · D_H)", f"Y {tuple(Y.shape)}")
    expect.allclose(got, want, "The result", size=4.0, setting=f"Y {tuple(Y.shape)}")


def _leads(sizes: Sizes):
    return [(), (sizes.B,), (sizes.B, sizes.D_V), (1, 1)]


@exercise(NAME)
@points(1)
def check_shape(student: Student, sizes: Sizes, draw: Draw) -> None:
    """(…, H, N, D_H) becomes (…, N, H · D_H), with any leading axes"""
    for lead in _leads(sizes):
        Y = draw.normal(*lead, sizes.H, sizes.N_Q, D_H)
        got = expect.tensor(student.merge_heads(Y), "The result")
        expect.shape(got, (*lead, sizes.N_Q, sizes.H * D_H), "The result", "(…, N, H · D_H)", f"Y {tuple(Y.shape)}")
        expect.depends_on_its_inputs(got, student.merge_heads(Y.square()), "The result")


@exercise(NAME)
@points(2)
def check_columns(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Row n holds the rows n of all heads, head 0 first"""
    _compare(student, torch.arange(12.0, dtype=torch.float64).reshape(2, 2, 3))  # the smallest example first
    for lead in _leads(sizes):
        _compare(student, draw.normal(*lead, sizes.H, sizes.N_Q, D_H))
    for shape in [
        (sizes.B, 1, sizes.N_Q, D_H),
        (sizes.B, sizes.H, 1, D_H),
        (sizes.B, sizes.H, sizes.N_Q, 1),
        (4, 4, 4),
        *itertools.product((1, sizes.B), (1, sizes.H), (1, sizes.N_Q), (1, D_H)),
    ]:
        _compare(student, draw.normal(*shape))


@exercise(NAME)
@points(1)
@promises
def check_other_memory_layouts_and_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """It works on transposed inputs, keeps the dtype, changes nothing in place, and gradients flow back"""
    Y = draw.normal(sizes.B, sizes.N_Q, sizes.H, D_H).transpose(1, 2)  # not contiguous
    _compare(student, Y)
    whole = draw.integers(100, sizes.B, sizes.H, sizes.N_Q, D_H).float()
    answer = student.answer(Request(NAME, (whole,)))
    expect.dtype(expect.tensor(answer.value, "The result"), torch.float32, "The result")
    expect.allclose(answer.value, references.merge_heads(whole), "The result", size=100.0)
    cotangent = draw.normal(sizes.B, sizes.N_Q, sizes.H * D_H)
    found = student.answer(Request(NAME, (Y,), cotangents=(cotangent,))).gradients
    expect.gradients(found, [references.split_heads(cotangent, sizes.H)], ("Y",), f"Y {tuple(Y.shape)}")
