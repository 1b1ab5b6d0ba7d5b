"""Run a check again, outside pytest, and compare failures."""

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.judging.failure import CheckFailure, as_failure
from autograder.judging.tools.draw import Draw, Sizes
from autograder.judging.variant import takes_variant, variant_of

Check = Callable[..., None]


def replay(check: Check, student: Any, seed: int, who: str | None = None) -> CheckFailure | None:
    """Run one check outside pytest, perhaps with the numbers of another id, and return its failure, or None when it passes."""
    offered = {"student": student, "sizes": Sizes(), "draw": Draw(seed, check.__name__), "seed": seed}
    if takes_variant(check):
        offered["variant"] = variant_of(check, student.student_id if who is None else who)
    wanted = check.__code__.co_varnames[: check.__code__.co_argcount]
    with silence():
        try:
            check(**{name: offered[name] for name in wanted})
        except Exception as error:
            return as_failure(error)
    return None


@contextlib.contextmanager
def silence() -> Iterator[None]:
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def same_failure(a: CheckFailure, b: CheckFailure) -> bool:
    """Return whether two failures have the same kind, at the same inputs, in the same place and with the same wrong result."""
    if (a.kind, a.setting) != (b.kind, b.setting):
        return False
    if a.message.partition(" in line ")[0] != b.message.partition(" in line ")[0]:
        return False
    if isinstance(a.received, Tensor) and isinstance(b.received, Tensor):
        return a.received.shape == b.received.shape and equal(a.received, b.received)
    return bool(a.received == b.received)


def equal(a: Tensor, b: Tensor) -> bool:
    """Return whether two results are the same but for rounding: two ways to write one mistake round differently."""
    a, b = a.double(), b.double()
    if not (_of_float32(a) and _of_float32(b)):
        return torch.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)
    size = float(a.abs().nan_to_num(0, 0, 0).max()) if a.numel() else 0.0
    return torch.allclose(a, b, rtol=1e-4, atol=1e-4 * min(size, 1.0), equal_nan=True)


def _of_float32(x: Tensor) -> bool:
    """Return whether all numbers have been rounded to float32, whatever the dtype in which they have come."""
    return torch.equal(x.nan_to_num(), x.float().double().nan_to_num())
