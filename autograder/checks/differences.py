"""Where two tensors differ by more than rounding explains, in words."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.matrix_view import Matrix
from autograder.checks.wording import says
from autograder.runtime.failure import CheckFailure

#: Largest difference attributed to rounding, as a multiple of the dtype's machine epsilon: for sums of a few dozen terms
#: of order 1, measured errors stay below 30 epsilon (float32, float64) and below 6 (bfloat16, where weights are rounded).
_EPSILONS = {torch.float64: 4000, torch.float32: 400, torch.bfloat16: 12, torch.float16: 24}

HALF = (torch.float16, torch.bfloat16)


def tolerance(dtype: torch.dtype, size: float = 1.0) -> float:
    """Return the largest difference attributed to rounding, for values up to ``size``, in this dtype."""
    return _EPSILONS[dtype] * torch.finfo(dtype).eps * max(size, 1.0)


def difference_failure(got: Tensor, want: Tensor, wrong: Tensor, what: str, setting: str, message: str) -> CheckFailure:
    worst = (got - want).abs()
    largest = "not a number" if bool(worst.isnan().any()) else f"{worst.max().item():.3g}"
    where, row = first_wrong_row(wrong)
    expected, yours = side_by_side(want[row], got[row], wrong[row])
    failure = CheckFailure(
        "value",
        message or f"{says(what, 'has')} wrong values.",
        expected=f"{what}{where} = {expected}",
        yours=f"{what}{where} = {yours}     largest difference {largest}",
        setting=setting,
        received=got,
        wanted=want,
    )
    if got.dim() >= 2 and got.shape[-1] <= 20 and got.shape[-2] <= 20 and what.startswith("A"):
        index = row[:-1]
        failure.picture = Matrix(got[index], want[index], wrong[index], f"{what}{where.rpartition('[')[0]}")
    return failure


def first_wrong_row(wrong: Tensor) -> tuple[str, tuple[int, ...]]:
    if wrong.dim() < 2:
        return "", ()
    first = tuple(int(i) for i in wrong.any(-1).nonzero()[0])
    return "[" + ", ".join(map(str, first)) + "]", first


def side_by_side(want: Tensor, got: Tensor, wrong: Tensor, most: int = 6) -> tuple[str, str]:
    """Format two vectors as text from where, and with as many digits as, the first ``wrong`` entry can be seen."""
    first = int(wrong.reshape(-1).nonzero()[0]) if bool(wrong.any()) else 0
    begin = first - 1 if first >= most else 0
    for digits in (3, 5, 8):
        texts = numbers(want, most, begin, digits), numbers(got, most, begin, digits)
        if texts[0] != texts[1]:
            break
    return texts


def numbers(values: Tensor, most: int = 6, begin: int = 0, digits: int = 3) -> str:
    """Format a vector as text: a few entries, from one on."""
    flat = values.detach().reshape(-1)
    shown = ", ".join(
        f"{x:.{digits}f}" if 10.0**-digits <= abs(x) < 1e4 or x == 0 else f"{x:.{digits - 1}e}"
        for x in flat[begin : begin + most].tolist()
    )
    return f"[ {'…, ' if begin else ''}{shown}{', …' if flat.numel() > begin + most else ''} ]"


def kind(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, Tensor):
        return f"one tensor of shape {tuple(value.shape)}"
    if isinstance(value, tuple | list):
        return f"{len(value)} results ({', '.join(type(v).__name__ for v in value[:4])})"
    return f"a {type(value).__name__}"
