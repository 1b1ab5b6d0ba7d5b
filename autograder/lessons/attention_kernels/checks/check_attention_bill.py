"""attention_bill(N_Q, N_K, D, block=None, causal=False, bytes_per_number=4)."""

from typing import Any

from autograder.checks import CheckFailure, Draw, Student, exercise, inputs, no_return, points
from autograder.lessons.attention_kernels import references

NAME = "attention_bill"
PARTS = ("The number of operations", "The number of bytes")
#: N_Q, N_K, D: one of each, different primes, more queries than keys.
SIZES = ((1, 1, 1), (5, 7, 3), (23, 23, 11), (31, 17, 13), (1, 101, 7))
BLOCKS = (1, 4, 5, 16, 128)


def _compare(student: Student, part: int, *args: Any, **options: Any) -> None:
    """Compare one of the two numbers."""
    said = ", ".join([*map(str, args), *(f"{name}={value}" for name, value in options.items())])
    got = student.call(NAME, *args, **options)
    if got is None:
        raise no_return()
    if not isinstance(got, tuple | list) or len(got) != 2 or not all(map(inputs.is_integral, got)):
        whole = isinstance(got, tuple | list)
        kinds = f"({', '.join(type(each).__name__ for each in got[:4])})" if whole else f"a {type(got).__name__}"
        raise CheckFailure(
            "type",
            "Two ints are expected, (operations, bytes).",
            setting=f"attention_bill({said})",
            yours=kinds,
            received=kinds,
            cause="not two whole numbers",
            hint="Return operations, bytes. Look for a division with /, or for a tensor.",
        )
    inputs.equal(got[part], references.attention_bill(*args, **options)[part], PARTS[part], f"attention_bill({said})")


def _drawn(draw: Draw) -> list[int]:
    return [2 + int(draw.integers(50)) for _ in range(3)]


@exercise(NAME)
@points(2)
def check_whole_matrix(student: Student, draw: Draw) -> None:
    """Without blocks: Q, K, V and Y once, N_Q · N_K numbers four times, and the operations of two products"""
    for sizes in (*SIZES, _drawn(draw)):
        for part in (0, 1):
            _compare(student, part, *sizes)
            _compare(student, part, *sizes, causal=True)
            _compare(student, part, *sizes, bytes_per_number=2)


@exercise(NAME)
@points(3)
def check_bytes_in_tiles(student: Student, draw: Draw) -> None:
    """In tiles, all keys and values are read once for each block of queries, and nothing of size N_Q · N_K is moved"""
    for sizes in (*SIZES, _drawn(draw)):
        for block in BLOCKS:
            _compare(student, 1, *sizes, block=block)
    _compare(student, 1, *SIZES[1], block=4, bytes_per_number=2)


@exercise(NAME)
@points(1)
def check_operations_in_tiles(student: Student, draw: Draw) -> None:
    """In tiles as many operations as before: shorter blocks at the end count as they are"""
    for sizes in (*SIZES, _drawn(draw)):
        for block in BLOCKS:
            _compare(student, 0, *sizes, block=block)


@exercise(NAME)
@points(3)
def check_causal_tiles(student: Student, draw: Draw) -> None:
    """With causal=True, whole blocks of keys that no query of the block sees are left out, also with N_Q ≠ N_K"""
    for sizes in (*SIZES, _drawn(draw)):
        for block in BLOCKS:
            for part in (0, 1):
                _compare(student, part, *sizes, block=block, causal=True)
    _compare(student, 1, *SIZES[1], block=4, causal=True, bytes_per_number=2)
