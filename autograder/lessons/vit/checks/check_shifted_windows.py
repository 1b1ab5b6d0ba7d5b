"""shifted_windows(X, window, shift)."""

from autograder.checks import (
    CheckFailure,
    Draw,
    Student,
    computes,
    exercise,
    expect,
    function_gradients_agree,
    function_works_where_its_inputs_are,
    points,
    promises,
    raises_value_error,
)
from autograder.lessons.vit import references
from autograder.lessons.vit.checks import functions

NAME = "shifted_windows"
WHAT, MEANING = "The windows", "(B, windows, window², D)"
MASK, MASK_MEANING = "allowed", "(windows, window², window²)"
#: (B, rows, columns, D, window, shift), the smallest first. In the last ones, sizes that should be told apart are equal.
SIZES = (
    (1, 4, 4, 1, 2, 1),
    (1, 2, 2, 1, 2, 1),
    (2, 4, 6, 3, 2, 1),
    (2, 6, 4, 3, 2, 1),
    (3, 6, 9, 5, 3, 1),
    (3, 9, 6, 5, 3, 2),
    (2, 8, 12, 7, 4, 2),
    (2, 10, 5, 3, 5, 3),
    (2, 5, 10, 3, 5, 1),
    (3, 3, 3, 3, 3, 1),
    (4, 8, 8, 4, 4, 3),
    (2, 3, 5, 2, 1, 0),
)


def _two(student: Student, X, window, shift):
    value = student.shifted_windows(X, window, shift)
    if isinstance(value, tuple | list) and len(value) == 2 and value[1] is None:
        raise CheckFailure(
            "type",
            "There is no mask.",
            expected="a bool tensor, True where a token may attend",
            yours="None",
            setting=_setting(X, window, shift),
            received="no mask",
            cause="no mask",
            hint="The mask is always returned; without a shift it is True everywhere.",
        )
    return expect.pair(value, "windows", MASK)


def _setting(X, window, shift):
    return f"X {tuple(X.shape)} = (B, rows, columns, D), window = {window}, shift = {shift}"


def _windows(student: Student, X, window, shift):
    want, _ = references.shifted_windows(X, window, shift)
    got, _ = _two(student, X, window, shift)
    expect.shape(got, want.shape, WHAT, MEANING, _setting(X, window, shift))
    expect.dtype(got, want.dtype, WHAT, _setting(X, window, shift))
    expect.allclose(got, want, WHAT, size=float(want.abs().max()), setting=_setting(X, window, shift))


def _mask(student: Student, X, window, shift):
    _, want = references.shifted_windows(X, window, shift)
    _, got = _two(student, X, window, shift)
    setting = _setting(X, window, shift)
    expect.shape(got, want.shape, MASK, MASK_MEANING, setting)
    expect.boolean(got, MASK, setting)
    for number, (own, right) in enumerate(zip(got, want, strict=True)):
        expect.allclose(own.double(), right.double(), f"{MASK}[{number}]", setting=setting)


@exercise(NAME)
@points(2)
def check_shapes(student: Student, draw: Draw) -> None:
    """There are (rows / window) · (columns / window) windows of window² tokens, and a mask for each window"""
    for *shape, window, shift in SIZES:
        X = draw.normal(*shape)
        windows, allowed = _two(student, X, window, shift)
        n, setting = (shape[1] // window) * (shape[2] // window), _setting(X, window, shift)
        expect.shape(windows, (shape[0], n, window**2, shape[3]), WHAT, MEANING, setting)
        expect.shape(allowed, (n, window**2, window**2), MASK, MASK_MEANING, setting)
        expect.depends_on_its_inputs(windows, _two(student, X.square(), window, shift)[0], WHAT)


@exercise(NAME)
@points(4)
def check_windows(student: Student, draw: Draw) -> None:
    """Without a shift, the tokens are cut into squares, which come row by row, and so do the tokens of each"""
    for B, rows, columns, window in ((1, 2, 4, 2), (1, 4, 4, 2), (1, 2, 2, 1)):
        _windows(student, functions.pixels(B, 1, rows, columns).movedim(1, -1), window, 0)
    for *shape, window, _ in SIZES:
        _windows(student, draw.normal(*shape), window, 0)


@exercise(NAME)
@points(4)
def check_shift(student: Student, draw: Draw) -> None:
    """With a shift, the picture first moves up and to the left; what leaves it on one side comes back on the other"""
    _windows(student, functions.pixels(1, 1, 4, 4).movedim(1, -1), 2, 1)
    for *shape, window, shift in SIZES:
        _windows(student, draw.normal(*shape), window, shift)


@exercise(NAME)
@points(3)
def check_mask(student: Student, draw: Draw) -> None:
    """Tokens of a window may attend to each other unless just one of them came in over the edge, above or at the side"""
    for *shape, window, shift in SIZES:
        _mask(student, draw.normal(*shape), window, shift)
        _mask(student, draw.normal(*shape), window, 0)


@exercise(NAME)
@points(1)
def check_refusals(student: Student, draw: Draw) -> None:
    """A window that does not divide rows and columns, or a shift that is not smaller than the window, raises an error"""
    one, other = ((draw.normal(2, 4, 6, 3), 2, 1) for _ in range(2))
    computes(student.shifted_windows, one, other, "The windows")
    for rows, columns, window, shift in ((5, 4, 2, 1), (4, 5, 2, 1), (9, 4, 6, 1), (4, 4, 2, 2), (4, 4, 2, -1)):
        raises_value_error(
            f"A grid of {rows} x {columns} tokens with window = {window} and shift = {shift}",
            "The window has to divide both sides, and 0 <= shift < window. Compare before anything else, and raise a "
            "ValueError that says what was expected.",
            student.shifted_windows,
            draw.normal(2, rows, columns, 3),
            window,
            shift,
        )


@exercise(NAME)
@points(1)
@promises
def check_layout_and_gradients(student: Student, draw: Draw) -> None:
    """It keeps dtype and device, changes nothing in place, works on any memory layout, and gradients flow back"""
    X = draw.normal(2, 3, 4, 6).permute(0, 2, 3, 1)  # (2, 4, 6, 3), not contiguous
    _windows(student, X, 2, 1)
    _windows(student, X.float(), 2, 1)
    _mask(student, X.float(), 2, 1)
    cotangent = draw.normal(2, 6, 4, 3)
    function_gradients_agree(student, NAME, (X, 2, 1), _reference_windows, cotangent, ("X",))
    function_works_where_its_inputs_are(student, NAME, X, 2, 1)


def _reference_windows(X, window, shift):
    return references.shifted_windows(X, window, shift)[0]
