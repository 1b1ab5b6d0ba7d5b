"""standardise(x)."""

from autograder.checks import Draw, Sizes, Student, exercise, expect, points
from signal_lessons.averages import references


@exercise("standardise")
@points(1)
def check_mean_is_zero(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The mean of the result is 0"""
    x = draw.normal(sizes.N_K) + 3
    z = expect.tensor(student.call("standardise", x), "z")
    expect.depends_on_its_inputs(z, student.call("standardise", x.flip(0)), "z")
    expect.allclose(z.mean(), x.new_zeros(()), "The mean of z")


@exercise("standardise")
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """z = (x − mean) / standard deviation, dividing by N"""
    for N in (2, sizes.N_K):
        x = 5 * draw.normal(N) + 3
        z = expect.tensor(student.call("standardise", x), "z")
        expect.allclose(z, references.standardise(x), "z", setting=f"{N} values")
