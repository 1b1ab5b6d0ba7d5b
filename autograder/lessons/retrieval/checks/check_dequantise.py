"""dequantise(data, kind) -> the numbers of GGUF's blocks.

The scales of a row differ, and so do all bytes of a block that is compared, so that nothing can be in another's place unnoticed.
"""

import torch
from torch import Tensor

from autograder.checks import Draw, Request, Student, exercise, expect, points, promises, raises_value_error
from autograder.lessons.retrieval import references
from autograder.lessons.retrieval.reference_blocks import SIZES

NAME = "dequantise"
WHAT, MEANING = "The numbers", "(rows, 32 · blocks)"
#: (rows, blocks), the smallest first.
SHAPES = ((1, 1), (1, 3), (3, 1), (5, 2), (2, 7), (17, 17))


def halves(*values: float) -> Tensor:
    """Return the bytes of float16 numbers, (2 for each)."""
    return torch.tensor(values, dtype=torch.float16).view(torch.uint8)


def blocks(draw: Draw, kind: str, rows: int, count: int) -> Tensor:
    """Draw rows of blocks: scales of either sign and of very different sizes, minima likewise, and bytes from 0 to 255."""
    floats = 2 if kind == "Q4_1" else 1
    sizes = 2.0 ** (draw.integers(9, rows, count, floats) - 6)
    head = (draw.normal(rows, count, floats) * sizes).half().view(torch.uint8).reshape(rows, count, 2 * floats)
    body = draw.integers(256, rows, count, SIZES[kind] - 2 * floats).to(torch.uint8)
    return torch.cat((head, body), dim=-1).flatten(1)


def _numbers(student: Student, data: Tensor, kind: str, more: str = "") -> tuple[Tensor, Tensor, str]:
    """Return the student's numbers, of the right shape and dtype, those that are right, and what was asked."""
    setting = f"kind {kind!r}, data {tuple(data.shape)}{more}"
    got = expect.tensor(student.dequantise(data, kind), WHAT)
    want = references.dequantise(data, kind)
    expect.shape(got, tuple(want.shape), WHAT, MEANING, setting)
    expect.dtype(got, torch.float32, WHAT, setting)
    return got, want, setting


def _agree(student: Student, data: Tensor, kind: str, more: str = "", message: str = "") -> None:
    got, want, setting = _numbers(student, data, kind, more)
    # Each number by the size of its own block: a small block counts as much as a large one.
    size = want.unflatten(1, (-1, 32)).abs().amax(dim=2, keepdim=True).clamp(min=2.0**-30)
    for row in range(len(want)):
        for block in range(size.shape[1]):
            part = slice(32 * block, 32 * block + 32)
            where = f"{setting}; row {row}, block {block}" if want.numel() > 32 else setting
            expect.allclose(
                got[row, part], want[row, part], WHAT, size=float(size[row, block, 0]), setting=where, message=message
            )


def _of_kind(student: Student, draw: Draw, kind: str) -> None:
    for rows, count in SHAPES:
        _agree(student, blocks(draw, kind, rows, count), kind)


@exercise(NAME)
@points(1)
def check_shape(student: Student, draw: Draw) -> None:
    """Blocks of 34, 18 and 20 bytes become 32 numbers each, float32, for any number of rows and blocks"""
    for kind in SIZES:
        for rows, count in SHAPES:
            got, _, setting = _numbers(student, blocks(draw, kind, rows, count), kind)
            other, _, _ = _numbers(student, blocks(draw, kind, rows, count), kind)
            expect.depends_on_its_inputs(got, other, f"{WHAT} ({setting})")


@exercise(NAME)
@points(1)
def check_by_hand(student: Student) -> None:
    """A block that was written by hand: scale 1, minimum 0.5, and one byte 0x2F among zeros"""
    for kind in ("Q4_0", "Q4_1"):
        head = halves(1.0) if kind == "Q4_0" else halves(1.0, 0.5)
        for place in (0, 5, 15):
            body = torch.zeros(16, dtype=torch.uint8)
            body[place] = 0x2F
            _agree(student, torch.cat((head, body))[None], kind, f", byte {place} of the 16 is 0x2F, the others 0")
    for q in (1, 127, -1, -128):
        body = torch.zeros(32, dtype=torch.uint8)
        body[3] = q % 256
        _agree(
            student,
            torch.cat((halves(0.5), body))[None],
            "Q8_0",
            f", scale 0.5, byte 3 of the 32 is {q % 256}, the others 0",
        )


@exercise(NAME)
@points(1)
def check_eight_bits(student: Student, draw: Draw) -> None:
    """Q8_0: each number is a signed byte times the scale of its own block"""
    _of_kind(student, draw, "Q8_0")


@exercise(NAME)
@points(2)
def check_four_bits(student: Student, draw: Draw) -> None:
    """Q4_0: 8 is taken off each half of a byte; the lower halves are numbers 0 to 15 of a block, the upper ones 16 to 31"""
    _of_kind(student, draw, "Q4_0")


@exercise(NAME)
@points(2)
def check_four_bits_and_minimum(student: Student, draw: Draw) -> None:
    """Q4_1: each half of a byte times the scale, plus the minimum, computed in float32"""
    _of_kind(student, draw, "Q4_1")


@exercise(NAME)
@points(1)
@promises
def check_layout_and_refusal(student: Student, draw: Draw) -> None:
    """Memory layout and earlier calls change nothing, nothing is changed in place, and what is not whole blocks is refused"""
    for kind, size in SIZES.items():
        data = blocks(draw, kind, 3, 2)
        want = references.dequantise(data, kind)
        wide = torch.zeros(3, 2 * data.shape[1], dtype=torch.uint8)
        wide[:, ::2] = data
        answer = student.answer(Request(NAME, (wide[:, ::2], kind), before=[(data.flip(0), kind)]))
        got = expect.tensor(answer.value, WHAT)
        expect.shape(got, tuple(want.shape), WHAT, MEANING, f"kind {kind!r}, every second byte of a wider tensor")
        expect.allclose(
            got, want, WHAT, size=float(want.abs().max()), setting=f"kind {kind!r}, every second byte of a wider tensor"
        )
        for off in (-1, 1, size // 2):
            raises_value_error(
                f"A row of {2 * size + off} bytes for kind {kind!r}, whose blocks have {size},",
                "Compare the number of bytes with the size of a block, and raise a ValueError that says what was expected.",
                student.dequantise,
                draw.integers(256, 2, 2 * size + off).to(torch.uint8),
                kind,
            )
    for kind in ("Q5_0", "q8_0", ""):
        raises_value_error(
            f"The kind {kind!r}",
            "Only three kinds are known. Raise a ValueError for any other.",
            student.dequantise,
            draw.integers(256, 1, 34 * 18 * 20).to(torch.uint8),
            kind,
        )
