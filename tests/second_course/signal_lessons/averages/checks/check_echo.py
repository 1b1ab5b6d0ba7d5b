"""echo(x), with the student's own delay and strength."""

import random

from autograder.checks import Draw, Student, exercise, expect, points
from signal_lessons.averages import references


@exercise("echo")
@points(1)
def check_shape(student: Student, draw: Draw) -> None:
    """There is one value for every value of x"""
    x = draw.normal(97)
    y = expect.tensor(student.call("echo", x), "y")
    expect.shape(y, (97,), "y", "(N,)")
    expect.depends_on_its_inputs(y, student.call("echo", x.flip(0)), "y")


@exercise("echo")
@points(2)
def check_values(student: Student, draw: Draw, variant: random.Random) -> None:
    """y_i = x_i + c x_{i−d}, with the c and d of your own room"""
    x = draw.normal(101)
    y = expect.tensor(student.call("echo", x), "y")
    expect.allclose(y, references.in_room(x, variant), "y", setting="101 values")
