"""window_step(Q, K, V, ring, seen, sinks=0): a ring cache that is changed in place."""

import math

import torch
from torch import Tensor

from autograder.checks import Draw, Request, Sizes, Student, exercise, expect, points, promises
from autograder.lessons.attention.references import scaled_dot_product_attention
from autograder.lessons.modern_attention import references

NAME = "window_step"
Ring = tuple[Tensor, Tensor]


def _rows(draw: Draw, sizes: Sizes, *lead: int, N: int, dtype: torch.dtype = torch.float64) -> list[Tensor]:
    return [draw.normal(*lead, N, width, dtype=dtype) for width in (sizes.D_Q, sizes.D_Q, sizes.D_V)]


def _empty(sizes: Sizes, *lead: int, slots: int, fill: float = 0.0, dtype: torch.dtype = torch.float64) -> Ring:
    return (
        torch.full((*lead, slots, sizes.D_Q), fill, dtype=dtype),
        torch.full((*lead, slots, sizes.D_V), fill, dtype=dtype),
    )


def _step(student: Student, rows: list[Tensor], ring: Ring, seen: int, sinks: int) -> tuple[Tensor, Ring]:
    """Return the outputs, and the ring as the call has left it."""
    kwargs = {"sinks": sinks} if sinks else {}
    answer = student.answer(Request(NAME, (*rows, ring, seen), kwargs, may_change=("3",)))
    Y, after = expect.tensor(answer.value, "Y"), answer.args_after[3]
    return Y, (expect.tensor(after[0], "K_ring"), expect.tensor(after[1], "V_ring"))


def _through(
    student: Student, rows: list[Tensor], ring: Ring, sinks: int, pieces: int | list[int], setting: str
) -> None:
    """Send a text through the ring in pieces. Compare the outputs with those under the mask, and then what the ring holds."""
    N, slots = rows[0].shape[-2], ring[0].shape[-2]
    setting = f"{N} rows in pieces of {pieces}, {slots} slots of which {sinks} are sinks{setting}"
    allowed = references.sliding_window(N, N, slots - sinks, sinks)
    Q, K, V = rows
    want, _ = scaled_dot_product_attention(Q, K, V, allowed)
    seen = 0
    for part in zip(*(X.split(pieces, -2) for X in rows), strict=True):
        count = part[0].shape[-2]
        Y, ring = _step(student, list(part), ring, seen, sinks)
        place = f"{setting}; the rows of positions {seen} to {seen + count - 1}"
        expect.allclose(Y, want[..., seen : seen + count, :], "Y", size=4.0, setting=place)
        seen += count
        _holds(ring, rows, seen, sinks, place)


def _holds(ring: Ring, rows: list[Tensor], seen: int, sinks: int, setting: str) -> None:
    """Compare the slots in use with the rows that belong there."""
    held = references.positions_held(seen, ring[0].shape[-2], sinks)
    for part, X, what in zip(ring, rows[1:], ("K_ring", "V_ring"), strict=True):
        used = part[..., : len(held), :]
        message = f"{what} does not hold the rows of positions {held} in its slots 0 to {len(held) - 1}."
        expect.allclose(used, X[..., held, :], what, setting=f"{setting}; the ring afterwards", message=message)


@exercise(NAME)
@points(2)
def check_while_it_fills(student: Student, sizes: Sizes, draw: Draw) -> None:
    """As long as the ring is not full, a row goes to the slot of its position, and a query sees the rows so far"""
    for sinks, slots in ((0, 7), (2, 7), (3, 11)):
        for pieces in (slots, 1, [1, slots - 1], [slots - 2, 2]):
            rows = _rows(draw, sizes, sizes.B, N=slots)
            _through(student, rows, _empty(sizes, sizes.B, slots=slots), sinks, pieces, "")


@exercise(NAME)
@points(2)
def check_ten_times_its_length(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Row by row, a text of ten times the slots has the outputs that the mask gives, and the ring holds sinks and window"""
    for sinks, slots in ((0, 3), (2, 5), (1, 2)):
        rows = _rows(draw, sizes, N=10 * slots)
        _through(student, rows, _empty(sizes, slots=slots), sinks, 1, "")


@exercise(NAME)
@points(2)
def check_pieces(student: Student, sizes: Sizes, draw: Draw) -> None:
    """In pieces of any length, longer than the ring too, each query sees its own window"""
    for sinks, slots in ((0, 4), (2, 5)):
        window = slots - sinks
        for pieces in (window - 1, window, window + 1, 2 * window, slots, slots + 1, 23, [4, 1, 13, 5]):
            rows = _rows(draw, sizes, sizes.B, N=23)
            _through(student, rows, _empty(sizes, sizes.B, slots=slots), sinks, pieces, "")


@exercise(NAME)
@points(2)
def check_earlier_rows(student: Student, sizes: Sizes, draw: Draw) -> None:
    """One row far in a long text: it takes the place of the oldest in the window, and the sinks stay"""
    for sinks, slots in ((0, 5), (2, 7), (3, 4)):
        for seen in (slots, 10 * slots + 1, 1003):
            ring = _empty(sizes, sizes.B, slots=slots)
            ring = (draw.normal(*ring[0].shape), draw.normal(*ring[1].shape))
            rows = _rows(draw, sizes, sizes.B, N=1)
            want_ring = (ring[0].clone(), ring[1].clone())
            want = references.window_step(rows[0], rows[1], rows[2], want_ring, seen, sinks)
            Y, after = _step(student, rows, ring, seen, sinks)
            setting = f"one row at position {seen}, {slots} slots of which {sinks} are sinks"
            expect.allclose(Y, want, "Y", size=4.0, setting=setting)
            for got, expected, what in zip(after, want_ring, ("K_ring", "V_ring"), strict=True):
                expect.allclose(got, expected, what, size=4.0, setting=f"{setting}; the ring afterwards")


@exercise(NAME)
@points(2)
@promises
def check_what_is_unused(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Slots not in use do not count, even if they hold NaN; heads are kept apart, the dtype is kept, nothing else is changed"""
    rows = _rows(draw, sizes, sizes.B, sizes.H, N=9)
    ring = _empty(sizes, sizes.B, sizes.H, slots=5, fill=math.nan)
    _through(student, rows, ring, 2, [1, 2, 6], ", empty ones hold NaN")
    rows = _rows(draw, sizes, sizes.B, N=3, dtype=torch.float32)
    ring = _empty(sizes, sizes.B, slots=5, dtype=torch.float32)
    Y, after = _step(student, rows, ring, 0, 2)
    for value, what in zip((Y, *after), ("Y", "K_ring", "V_ring"), strict=True):
        expect.dtype(value, torch.float32, what)
