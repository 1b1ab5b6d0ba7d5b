"""quantise_cache(K, V, bits) -> (codes, low, step) of the keys, per channel, and of the values, per token."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Sizes, Student, exercise, expect, pair, points, promises, tuple_of
from autograder.lessons.modern_attention import references

NAME = "quantise_cache"
KEYS, VALUES = "the keys", "the values"
PARTS = "codes, low and step"


def _inputs(draw: Draw, *lead: int, N: int = 7, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    """Return keys and values whose columns, rows and texts differ in size and in where they lie."""
    K, V = draw.normal(*lead, N, 10, dtype=dtype), draw.normal(*lead, N, 6, dtype=dtype)
    return _spread(draw, K), _spread(draw, V)


def _spread(draw: Draw, X: Tensor) -> Tensor:
    return X * _sizes(draw, X, -2) * _sizes(draw, X, -1) + 16 * _sizes(draw, X, -1)


def _sizes(draw: Draw, X: Tensor, dim: int) -> Tensor:
    shape = list(X.shape)
    shape[dim] = 1
    return 2.0 ** (draw.integers(4, *shape) - 1).to(X.dtype)


def _kept(student: Student, K: Tensor, V: Tensor, bits: int) -> dict[str, tuple[Tensor, Tensor, Tensor]]:
    """Return the triples of keys and values, or fail."""
    value = student.quantise_cache(K, V, bits)
    if isinstance(value, tuple | list) and len(value) == 2:
        halves: tuple[Any, Any] = pair(value, "the triple of the keys", "the triple of the values")
    else:
        raise CheckFailure(
            "type",
            "Two triples are expected, (codes, low, step) of the keys and of the values.",
            yours=f"{len(value)} results" if isinstance(value, tuple | list) else f"a {type(value).__name__}",
            received=type(value).__name__,
            cause="wrong number of results",
            hint="Return a pair, whose first part is the triple of the keys and whose second part is that of the values.",
        )
    found = {}
    for half, name in zip(halves, (KEYS, VALUES), strict=True):
        if not isinstance(half, tuple | list) or len(half) != 3:
            tuple_of(half, 3, f"({PARTS}) of {name}")
        codes, low, step = (
            expect.component(part, f"{what} of {name}")
            for part, what in zip(half, ("The codes", "Low", "Step"), strict=True)
        )
        found[name] = codes, low, step
    return found


def _agree(student: Student, K: Tensor, V: Tensor, bits: int, which: tuple[str, ...], setting: str) -> None:
    """Compare low and step with the definition, and what the codes stand for with the numbers that were kept."""
    setting = f"{setting}, K {tuple(K.shape)}, V {tuple(V.shape)}, bits={bits}"
    kept = _kept(student, K, V, bits)
    right = dict(zip((KEYS, VALUES), references.quantise_cache(K, V, bits), strict=True))
    for name, X in ((KEYS, K), (VALUES, V)):
        if name not in which:
            continue
        (codes, *own), (want_codes, *want) = kept[name], right[name]
        meaning = "(..., 1, D_Q)" if name == KEYS else "(..., N, 1)"
        for got, expected, what in zip(own, want, ("Low", "Step"), strict=True):
            what = f"{what} of {name}"
            expect.shape(got, expected.shape, what, meaning, setting)
            expect.dtype(got, X.dtype, what, setting)
            expect.allclose(got, expected, what, size=float(X.abs().max()), setting=setting)
        _are_bytes(codes, want_codes, name, bits, setting)
        _within_half_a_step(codes, X, want[0], want[1], bits, name, setting)


def _are_bytes(codes: Tensor, want: Tensor, name: str, bits: int, setting: str) -> None:
    what = f"The codes of {name}"
    if codes.dtype != torch.uint8:
        raise CheckFailure(
            "dtype",
            f"{what} should be bytes.",
            setting=setting,
            expected="torch.uint8, one byte each",
            yours=str(codes.dtype),
            received=str(codes.dtype),
            cause="codes are not bytes",
            hint="A cache is small only if its tensors are: .to(torch.uint8) stores a whole number from 0 to 255 in one byte.",
        )
    meaning = "(..., N, D/2), two codes in a byte" if bits == 4 else "(..., N, D), one code in a byte"
    expect.shape(codes, want.shape, what, meaning, setting)


def _within_half_a_step(
    codes: Tensor, X: Tensor, low: Tensor, step: Tensor, bits: int, name: str, setting: str
) -> None:
    """Fail unless low + step · code is at most half a step from each number, up to rounding."""
    back = references.restored((codes, low, step), bits)
    slack = expect.tolerance(X.dtype, float(X.abs().max()))
    wrong = ~((back - X).abs() <= step / 2 + slack)
    if not wrong.any():
        return
    first = tuple(wrong.nonzero()[0].tolist())
    half = float((step / 2).expand_as(X)[first])
    raise CheckFailure(
        "value",
        f"A number of {name} does not come back to within half a step.",
        setting=setting,
        expected=f"{float(X[first]):.4f} ± {half:.4f} in row {first[-2]}, column {first[-1]}",
        yours=f"{float(back[first]):.4f} = low + step · code; {int(wrong.sum())} of {wrong.numel()} numbers are too far away",
        received=back,
        wanted=X,
    )


@exercise(NAME)
@points(2)
def check_keys_per_channel(student: Student, sizes: Sizes, draw: Draw) -> None:
    """8 bits: each column of the keys has a low and a step of its own, and comes back to within half a step"""
    for lead, N in (((), 2), ((), 7), ((sizes.B, sizes.H), 5), ((1, 1), 3)):
        _agree(student, *_inputs(draw, *lead, N=N), 8, (KEYS,), "columns of different size")


@exercise(NAME)
@points(2)
def check_values_per_token(student: Student, sizes: Sizes, draw: Draw) -> None:
    """8 bits: each row of the values has a low and a step of its own, and comes back to within half a step"""
    for lead, N in (((), 1), ((), 7), ((sizes.B, sizes.H), 5), ((1, 1), 3)):
        _agree(student, *_inputs(draw, *lead, N=N), 8, (VALUES,), "rows of different size")


@exercise(NAME)
@points(2)
def check_two_codes_in_a_byte(student: Student, sizes: Sizes, draw: Draw) -> None:
    """4 bits: 15 steps, and byte j holds column 2j in its lower half and column 2j + 1 in its upper half"""
    # A column, or a row, of 0 to 15 has steps of 1, and its codes are its numbers.
    K = torch.stack([draw.permutation(16) for _ in range(6)], dim=-1).double()
    V = torch.stack([draw.permutation(16) for _ in range(5)]).double()
    for name, (codes, _, _), X in zip((KEYS, VALUES), _kept(student, K, V, 4).values(), (K, V), strict=True):
        setting = f"{name} are whole numbers from 0 to 15 and so their own codes, bits=4"
        want = (X[:, 0::2] + 16 * X[:, 1::2]).to(torch.uint8)
        _are_bytes(codes, want, name, 4, setting)
        if not torch.equal(codes, want):
            row, column = (codes != want).nonzero()[0].tolist()
            low, high = (int(X[row, 2 * column + upper]) for upper in (0, 1))
            raise CheckFailure(
                "value",
                f"A byte of {name} is not what its two codes make.",
                setting=setting,
                expected=f"codes {low} and {high} make 0x{int(want[row, column]):02x} in row {row}, byte {column}",
                yours=f"0x{int(codes[row, column]):02x}",
                received=codes.double(),
                wanted=want.double(),
            )
    for lead in ((), (sizes.B, sizes.H)):
        _agree(student, *_inputs(draw, *lead), 4, (KEYS, VALUES), "4 bits")


@exercise(NAME)
@points(1)
def check_far_from_zero(student: Student, draw: Draw) -> None:
    """The range of a group need not contain 0: all its numbers may be large, or negative"""
    K, V = _inputs(draw, 3)
    for shift in (500.0, -500.0):
        for bits in (8, 4):
            _agree(student, K + shift, V + shift, bits, (KEYS, VALUES), f"all numbers near {shift:.0f}")


@exercise(NAME)
@points(1)
def check_outliers(student: Student, draw: Draw) -> None:
    """A large column of the keys, or row of the values, changes no step but its own, and a single large number is kept"""
    for bits in (8, 4):
        K, V = _inputs(draw, 2)
        K[..., 3] *= 1000
        V[..., 2, :] *= 1000
        _agree(student, K, V, bits, (KEYS, VALUES), "one column of K and one row of V are 1000 times as large")
        K, V = _inputs(draw, 2, N=131)
        K[1, 5, 4], V[1, 5, 4] = 700.0, -700.0
        _agree(student, K, V, bits, (KEYS, VALUES), "one number of K is 700 and one of V −700")


@exercise(NAME)
@points(1)
@promises
def check_equal_numbers_and_dtype(student: Student, draw: Draw) -> None:
    """Equal numbers come back as they were, small ones to half a step, float32 stays float32, and no argument is changed"""
    for dtype in (torch.float32, torch.float64):
        for bits in (8, 4):
            K, V = _inputs(draw, 2, dtype=dtype)
            K[..., 4], V[..., 3, :] = 2.5, -1.5
            _agree(student, K, V, bits, (KEYS, VALUES), f"a column of K is 2.5 and a row of V −1.5, {dtype}")
            _agree(student, K[..., :1, :], V[..., :1, :], bits, (KEYS,), "one token: each column of K is one number")
            K, V = (X * 2.0**-20 for X in _inputs(draw, 2, dtype=dtype))
            _agree(student, K, V, bits, (KEYS, VALUES), f"all numbers near 1e-6, {dtype}")
