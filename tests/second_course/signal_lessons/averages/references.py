"""Right versions of what 01-averages asks for."""

import random

import torch
from torch import Tensor

from course_lib import variants


def standardise(x: Tensor) -> Tensor:
    """(x − mean) / standard deviation, with the biased variance."""
    return (x - x.mean()) / x.std(correction=0)


def moving_average(x: Tensor, width: int) -> Tensor:
    """The means of all windows of ``width`` standardised values."""
    return standardise(x).unfold(0, width, 1).mean(-1)


def in_room(x: Tensor, own: random.Random) -> Tensor:
    """x and the echo of a room whose delay and strength are drawn."""
    delay, strength = own.randrange(2, 40), round(own.uniform(0.2, 0.9), 2)
    return x + strength * torch.cat([x.new_zeros(delay), x[:-delay]])


def echo(x: Tensor) -> Tensor:
    """x and the echo of the student's own room."""
    return in_room(x, variants.numbers("echo"))
