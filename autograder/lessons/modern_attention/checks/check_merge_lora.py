"""merge_lora(W, A, B, alpha)."""

import torch

from autograder.checks import Draw, Request, Student, exercise, expect, points, promises
from autograder.lessons.modern_attention import references

NAME = "merge_lora"
#: Widths, rank and alpha.
SIZES = (
    *((5, 3, 2, 7.0), (5, 5, 3, 1.0), (4, 4, 4, 2.0), (3, 7, 1, 3.0)),
    *((3, 2, 5, 4.0), (4, 1, 2, 3.0), (1, 4, 2, 3.0), (1, 1, 1, 2.0)),
)


def _draw(draw: Draw, D_in: int, D_out: int, rank: int, dtype: torch.dtype = torch.float64):
    shapes = (D_out, D_in), (rank, D_in), (D_out, rank)
    return tuple(draw.normal(*shape, dtype=dtype) for shape in shapes)


@exercise(NAME)
@points(2)
def check_values(student: Student, draw: Draw) -> None:
    """The merged matrix is W plus alpha / rank times B A, for square matrices too"""
    W, A, B = (torch.tensor(rows, dtype=torch.float64) for rows in ([[0, 0], [0, 1]], [[1, 2]], [[3], [0]]))
    got = expect.tensor(student.merge_lora(W, A, B, 2.0), "The merged matrix")
    by_hand = torch.tensor([[6, 12], [0, 1]], dtype=torch.float64)
    expect.allclose(
        got,
        by_hand,
        "The merged matrix",
        size=12.0,
        setting="A = [[1, 2]], B = [[3], [0]], alpha = 2",
    )
    for D_in, D_out, rank, alpha in SIZES:
        W, A, B = _draw(draw, D_in, D_out, rank)
        got = expect.tensor(student.merge_lora(W, A, B, alpha), "The merged matrix")
        setting = f"D_in = {D_in}, D_out = {D_out}, rank {rank}, alpha = {alpha}"
        want = W + alpha / rank * torch.einsum("or,ri->oi", B, A)
        expect.allclose(got, want, "The merged matrix", size=20.0, setting=setting)


@exercise(NAME)
@points(2)
@promises
def check_merged_equals_unmerged(student: Student, draw: Draw) -> None:
    """The merged matrix gives what the layer gave before, to rounding; W is not changed, and the dtype is kept"""
    for dtype in (torch.float64, torch.float32):
        W, A, B = _draw(draw, 11, 7, 3, dtype)
        layer = references.LoRALinear(11, 7, 3, 5.0).to(dtype)
        layer.load_state_dict({"W.weight": W, "A": A, "B": B})
        merged = expect.tensor(student.answer(Request(NAME, (W, A, B, 5.0))).value, "The merged matrix")
        expect.shape(merged, W.shape, "The merged matrix", "(D_out, D_in)")
        expect.dtype(merged, dtype, "The merged matrix")
        X = draw.normal(5, 11, dtype=dtype)
        with torch.no_grad():
            want = layer(X)
        expect.allclose(
            X @ merged.mT, want, "X times the merged matrix", size=60.0, setting=f"the layer before, {dtype}"
        )
        again = expect.tensor(student.merge_lora(W, A, 2 * B, 5.0), "The merged matrix")
        expect.depends_on_its_inputs(merged, again, "The merged matrix")
