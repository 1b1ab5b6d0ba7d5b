"""Checks of dropout: its rate, its independence of rows, and its distribution compared with the reference's.

One batch holds many copies of one example, so that its results are independent draws. Two right answers agree in their means,
variances and covariances; dropout that is too frequent, too early, shared by all examples or missing in one kind of block changes
one of these.

By Chernoff's bound, the number of successes in n independent trials with probability p deviates from n p as far as k or farther
with probability at most 2 exp(−n KL(k/n, p)), where KL(a, p) = a ln(a/p) + (1 − a) ln((1 − a)/(1 − p)); see T. M. Cover and
J. A. Thomas, "Elements of Information Theory", 2006, section 11.1. The bound is not an approximation: it also holds for small n.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.checks.expect import says
from autograder.checks.modules import ModulePair, expect_still
from autograder.checks.properties import equal
from autograder.runtime.errors import CheckFailure
from autograder.runtime.state import tensors_of

#: Probability that one comparison rejects a right answer. A check makes fewer than a hundred, an exercise a few hundred.
ERROR = 1e-9
#: From this multiple of the reference's variance on, a result varies too much: dropout is not missing, but excessive.
_MORE = 1.2
_TOO_MUCH = (
    "It varies more than it should. Is dropout applied more often than the text says, at a higher rate, or where "
    "the text has none?"
)


def within_error_rate(successes: int, trials: int, probability: float, error: float = ERROR) -> bool:
    """Return whether this many successes are plausible for independent trials with this probability.

    A right answer is rejected with a probability of at most ``error``.
    """
    if trials == 0:
        return True
    return trials * divergence(successes / trials, probability) <= math.log(2 / error)


def divergence(share: float, probability: float) -> float:
    """Return KL(share, probability) in nats; infinite if ``probability`` makes such a share impossible."""
    return sum(
        0.0 if observed == 0 else math.inf if expected == 0 else observed * math.log(observed / expected)
        for observed, expected in ((share, probability), (1 - share, 1 - probability))
    )


def is_random(counts: Sequence[int], size: int, p: float, error: float = ERROR) -> bool:
    """Return whether counts vary like those of ``size`` independent decisions with probability ``p``.

    The sum of their squared deviations is approximately χ²-distributed; Laurent and Massart bound the tails (Annals of Statistics
    28, 2000, lemma 1). Counts vary less if the number of drops per row is fixed.
    """
    k, x = len(counts), math.log(2 / error)
    spread = sum((count - size * p) ** 2 for count in counts) / (size * p * (1 - p))
    return k - 2 * math.sqrt(k * x) < spread < k + 2 * math.sqrt(k * x) + 2 * x


def slack(p: float, count: int) -> float:
    """Return the largest plausible deviation from ``p`` of a share of ``count`` independent numbers.

    It is exceeded in one of ten billion runs.
    """
    return 6.5 * math.sqrt(p * (1 - p) / count)


def agreements(dropped: Tensor) -> list[float]:
    """Return, for each axis longer than 1, the share of neighbouring pairs that are dropped or kept together.

    Independent numbers agree in p² + (1 − p)² of all pairs, which is 58 % for p = 0.3.
    """
    axes = [axis for axis in range(dropped.dim()) if dropped.shape[axis] > 1]
    return [(dropped == dropped.roll(1, axis)).double().mean().item() for axis in axes]


def independent_elements(dropped: Tensor, message: str, hint: str, details: Mapping[str, Any]) -> None:
    """Fail if numbers of different rows, columns or examples of the batch are always dropped together."""
    shares = agreements(dropped)
    if max(shares) > 0.9:
        axis = shares.index(max(shares))
        raise CheckFailure(
            "dropout",
            message,
            **details,
            expected="each number dropped or kept on its own",
            yours=f"neighbours along axis {axis} dropped together in {max(shares):.0%} of the cases",
            cause="not dropped one by one",
            hint=hint,
        )


def share_is(dropped: Tensor, p: float, message: str, hint: str, details: Mapping[str, Any]) -> None:
    """Fail if the share of dropped numbers differs from ``p`` by more than chance explains."""
    share = dropped.double().mean().item()
    if abs(share - p) > slack(p, dropped.numel()):
        raise CheckFailure(
            "dropout",
            message,
            **details,
            expected=f"{p}",
            yours=f"{share:.3f}",
            cause="wrong probability of dropout",
            hint=hint,
        )


#: Draws of each result; for models of several blocks, fewer, which show whether dropout is passed on.
RUNS, FEW = 8000, 2500
#: Copies of one example in calls that are compared with each other.
_ROWS = 20
#: Standard errors by which two right answers may differ. For a normal distribution, one of 10¹² comparisons exceeds it.
_FARTHEST = 7.0
#: Number of sums with random signs of a result's numbers, which reveal numbers that are dropped together.
_SUMS = 24


def same_dropout_distribution(
    twins: ModulePair, *inputs: Tensor, what: Sequence[str], draw: Any, setting: str, hint: str, runs: int = RUNS
) -> None:
    """Fail unless, in training mode, the results for many copies of one example (a batch of one) vary like the reference's.

    An answer that is wrong even without dropout is left to the check of values, unless it is random in eval mode.
    """
    eval_result = expect_still(twins.module, *inputs, setting=setting.replace("training", "eval"))
    with torch.no_grad():
        if not equal(tensors_of(eval_result), tensors_of(twins.reference(*inputs))):
            return
    copies = tuple(x.expand(runs, *x.shape[1:]).clone() for x in inputs)
    twins.reference.train()
    try:
        with torch.no_grad():
            expected = tensors_of(twins.reference(*copies))
    finally:
        twins.reference.eval()
    received = [x.detach() for x in tensors_of(twins.module.when(training=True)(*copies))]
    for name, actual, reference in zip(what, received, expected, strict=False):
        if actual.shape != reference.shape:
            continue  # the check of shapes reports it
        samples = actual.double().flatten(1), reference.double().flatten(1)
        difference = _differ(*samples, draw)
        if difference:
            variance, expected_variance = (float(sample.var(0).sum()) for sample in samples)
            raise CheckFailure(
                "dropout",
                f"In training mode {says(name, 'does')} not vary as expected: {difference}.",
                setting=f"{setting}, one example {runs} times",
                received="dropout",
                cause="dropout missing or in the wrong place",
                hint=_TOO_MUCH if variance > _MORE * expected_variance > 0 else hint,
            )
    if received:
        _differs_between_calls(twins, tuple(x[:_ROWS] for x in copies), setting)


def _differs_between_calls(twins: ModulePair, inputs: tuple[Tensor, ...], setting: str) -> None:
    """Fail if the first call of a module and a later one drop the same numbers: training would never see any others."""
    module = twins.module.when(training=True)
    first, later = (tensors_of(call(*inputs)) for call in (module, module.when(before=(inputs,))))
    if equal(first, later):
        raise CheckFailure(
            "dropout",
            "In training mode, every call drops the same numbers.",
            setting=setting,
            expected="different ones in each call",
            received="the same dropout",
            cause="the same dropout at every call",
            hint="Look for torch.manual_seed(...) in forward, or in what it calls. A seed is set once, before training.",
        )


def _differ(actual: Tensor, expected: Tensor, draw: Any) -> str:
    """Describe the difference between two samples (draws, numbers) if chance does not explain it; otherwise return ""."""
    if not bool(actual.isfinite().all()):
        return "some of its numbers are not finite"
    signs = (draw.normal(expected.shape[1], _SUMS) > 0).to(expected) * 2 - 1
    actual, expected = (torch.cat([x, x @ signs / expected.shape[1] ** 0.5], 1) for x in (actual, expected))
    middle = expected.mean(0)
    squares = [(x - middle).square() for x in (actual, expected)]
    if _apart(actual, expected):
        varies = actual.var(0).max() > 1e-9
        return "its mean over many calls is another" if varies else "nothing of it is dropped"
    if _apart(*squares):
        ratio = float((squares[0].mean(0) + 1e-12).log().sub((squares[1].mean(0) + 1e-12).log()).mean().exp())
        if ratio < 0.01:
            return "nothing of it is dropped"
        return f"its variance is {ratio:.2f} times what it should be"
    return ""


def _apart(a: Tensor, b: Tensor) -> bool:
    """Return whether the means of any column of two samples differ by more standard errors than chance allows.

    Constant numbers may still differ by rounding, to float32 at worst: that is not dropout, and left to the check of values.
    """
    error = (a.var(0) / len(a) + b.var(0) / len(b)).sqrt()
    size = b.abs().mean(0).max().clamp(min=1e-6)
    return bool(((a.mean(0) - b.mean(0)).abs() > _FARTHEST * error + 1e-6 * size).any())
