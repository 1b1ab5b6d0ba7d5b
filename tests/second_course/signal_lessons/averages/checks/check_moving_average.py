"""moving_average(x, width)."""

from autograder.checks import Draw, Sizes, Student, exercise, expect, points
from signal_lessons.averages import references


@exercise("moving_average")
@points(1)
def check_shape(student: Student, sizes: Sizes, draw: Draw) -> None:
    """There is one mean for every full window: N − width + 1 of them"""
    x = draw.normal(sizes.D_V)
    y = expect.tensor(student.call("moving_average", x, sizes.H), "y")
    expect.shape(y, (sizes.D_V - sizes.H + 1,), "y", "(N − width + 1,)")
    expect.depends_on_its_inputs(y, student.call("moving_average", 2 * x + x**2, sizes.H), "y")


@exercise("moving_average")
@points(3)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """y_i is the mean of the standardised values i … i + width − 1"""
    for width in (1, sizes.H, sizes.N_Q):
        x = draw.normal(sizes.D_V)
        y = expect.tensor(student.call("moving_average", x, width), "y")
        expect.allclose(y, references.moving_average(x, width), "y", setting=f"width {width}, {sizes.D_V} values")
