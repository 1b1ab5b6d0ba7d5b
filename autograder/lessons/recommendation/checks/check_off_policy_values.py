"""off_policy_values(rewards, probabilities, new_probabilities)."""

import itertools
import math
from typing import Any

import torch
from torch import Tensor

from autograder.checks import Draw, Request, Student, exercise, expect, points, promises, raises_value_error
from autograder.lessons.recommendation import references

NAME = "off_policy_values"
WHATS = ("The IPS estimate", "The SNIPS estimate")
SIZES = (1, 2, 3, 11, 101)


def _log(draw: Draw, n: int) -> tuple[Tensor, Tensor, Tensor]:
    """Draw rewards, and how probable what was shown was under the old policy and is under the new one."""
    return 3 * _uniform(draw, n), 0.05 + 0.9 * _uniform(draw, n), _uniform(draw, n)


def _uniform(draw: Draw, *shape: int) -> Tensor:
    return torch.rand(shape, generator=draw.generator, dtype=torch.float64)


def _results(value: Any, setting: str) -> tuple[float, float]:
    """Return both estimates, which may be tensors or numbers."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        expect.pair(value, *WHATS)
    return expect.scalar(value[0], WHATS[0], setting), expect.scalar(value[1], WHATS[1], setting)


def _agree(student: Student, log: tuple[Tensor, Tensor, Tensor], more: str = "") -> tuple[float, float]:
    setting = f"{len(log[0])} rows{more}" + (
        f": rewards {_short(log[0])}, probabilities {_short(log[1])}, new_probabilities {_short(log[2])}"
        if len(log[0]) <= 3
        else ""
    )
    wants = references.off_policy_values(*(x.double() for x in log))
    _compare(_results(student.off_policy_values(*log), setting), wants, log[0].dtype, setting)
    return wants


def _compare(found: tuple[float, float], wants: tuple[float, float], dtype: torch.dtype, setting: str) -> None:
    for got, want, what in zip(found, wants, WHATS, strict=True):
        if not (math.isnan(got) and math.isnan(want)):
            expect.allclose(_tensor(got, dtype), _tensor(want, dtype), what, size=64.0, setting=setting)


def _tensor(number: float, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.tensor(number, dtype=dtype)


def _short(x: Tensor) -> list[float]:
    return [round(float(value), 3) for value in x]


@exercise(NAME)
@points(2)
def check_values(student: Student, draw: Draw) -> None:
    """IPS is the mean of the rewards times the weights new / old; SNIPS divides their sum by the sum of the weights"""
    for n in SIZES:
        _agree(student, _log(draw, n))
        rewards, old, _ = _log(draw, n)
        _agree(student, (rewards, old, old.clone()), ", both policies the same")
    rewards, old, new = _log(draw, 11)
    _agree(student, (rewards, old, (new > 0.5).to(old.dtype)), ", a new policy that decides without chance")
    watched = torch.arange(11) % 3 == 0
    _agree(student, (watched.to(old.dtype), old, new), ", rewards of 0 and 1")


@exercise(NAME)
@points(1)
def check_unbiased(student: Student, draw: Draw) -> None:
    """Over all logs that the old policy can write, each as probable as it is, IPS has exactly the new policy's mean reward"""
    for viewers, videos in ((1, 2), (1, 5), (2, 3)):
        rewards = _uniform(draw, viewers, videos)
        old, new = (draw.normal(viewers, videos).softmax(dim=1) for _ in range(2))
        truth, mean = float((rewards * new).sum(dim=1).mean()), 0.0
        setting = f"{viewers} viewers, {videos} videos, all {videos**viewers} possible logs"
        for shown in itertools.product(range(videos), repeat=viewers):
            at = (torch.arange(viewers), torch.tensor(shown))
            ips, _ = _results(student.off_policy_values(rewards[at], old[at], new[at]), setting)
            mean += float(old[at].prod()) * ips
        what = "The mean of the IPS estimate"
        expect.allclose(_tensor(mean), _tensor(truth), what, size=64.0, setting=setting)


@exercise(NAME)
@points(1)
@promises
def check_at_the_border(student: Student, draw: Draw) -> None:
    """A probability of 0 is refused, SNIPS of no weight is not a number, and nothing is kept or changed"""
    rewards, old, new = _log(draw, 7)
    _agree(student, (rewards, old, torch.zeros_like(new)), ", nothing of which the new policy would show")
    _agree(student, (rewards.float(), old.float(), new.float()), ", float32")
    for value in (0.0, -0.1):
        wrong = old.clone()
        wrong[3] = value
        raises_value_error(
            f"A probability of {value:g} for what was shown",
            "What was shown cannot have been impossible. Test all of them, and raise a ValueError.",
            student.off_policy_values,
            rewards,
            wrong,
            new,
        )
    answer = student.answer(Request(NAME, (rewards, old, new), before=[(new, old, rewards)]))
    wants = references.off_policy_values(rewards, old, new)
    _compare(_results(answer.value, "after other calls"), wants, rewards.dtype, "after other calls")
