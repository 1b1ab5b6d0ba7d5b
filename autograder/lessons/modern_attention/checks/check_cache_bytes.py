"""cache_bytes(tokens, num_layers, num_groups, head_width, bytes_per_number=2, window=None, window_layers=0)."""

from typing import Any

from autograder.checks import CheckFailure, Draw, Student, exercise, inputs, no_return, points

NAME = "cache_bytes"
#: Tokens, layers, groups and head width: different primes, so that no two can be exchanged.
SIZES = (101, 7, 3, 11)


def _compare(student: Student, *args: int, **options: Any) -> None:
    tokens, layers, groups, width = args
    short = options.get("window_layers", 0)
    rows = (layers - short) * tokens + short * min(tokens, options.get("window") or tokens)
    said = ", ".join([*map(str, args), *(f"{name}={value}" for name, value in options.items())])
    got = student.call(NAME, *args, **options)
    if got is None:
        raise no_return()
    if not inputs.is_integral(got):
        raise CheckFailure(
            "type",
            "The number of bytes should be an int.",
            setting=f"cache_bytes({said})",
            yours=f"a {type(got).__name__}",
            received=type(got).__name__,
            cause="not a whole number",
            hint="Look for a division with /, or for a tensor.",
        )
    inputs.equal(
        got,
        2 * rows * groups * width * options.get("bytes_per_number", 2),
        "The number of bytes",
        f"cache_bytes({said})",
    )


@exercise(NAME)
@points(2)
def check_without_a_window(student: Student, draw: Draw) -> None:
    """Two numbers for each layer, token, group and column, of two bytes by default"""
    for args in [(1, 1, 1, 1), (2, 1, 1, 3), SIZES, (1, 32, 8, 128)]:
        _compare(student, *args)
        for size in (1, 4):
            _compare(student, *args, bytes_per_number=size)
    _compare(student, *(2 + int(draw.integers(50)) for _ in range(4)))


@exercise(NAME)
@points(2)
def check_with_a_window(student: Student, draw: Draw) -> None:
    """A layer with a window keeps at most that many tokens, and the other layers keep all"""
    for tokens in (1, 12, 13, 14, 101):
        for short in (0, 2, 7):
            _compare(student, tokens, *SIZES[1:], window=13, window_layers=short)
    _compare(student, *SIZES, bytes_per_number=4, window=5, window_layers=3)
