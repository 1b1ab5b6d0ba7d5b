"""Checks of dropout: its rate, its independence of rows, and its distribution compared with the reference's.

One example is given many times in one batch. Its results are then as many independent draws, and of two right answers the
means, the variances and the covariances agree. Whatever is dropped too often, too early, for all examples alike or only for
one kind of block changes one of these.

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


def within_error_rate(successes: int, trials: int, probability: float, error: float = ERROR) -> bool:
    """Return whether this many successes are plausible for independent trials with this probability.

    A right answer is rejected with a probability of at most ``error``.
    """
    if trials == 0:
        return True
    return trials * divergence(successes / trials, probability) <= math.log(2 / error)


def divergence(share: float, probability: float) -> float:
    """Return KL(share, probability) in nats; infinite if ``probability`` rules out such a share."""
    return sum(
        0.0 if part == 0 else math.inf if whole == 0 else part * math.log(part / whole)
        for part, whole in ((share, probability), (1 - share, 1 - probability))
    )


def is_random(counts: Sequence[int], size: int, p: float, error: float = ERROR) -> bool:
    """Return whether counts vary as those of ``size`` independent decisions of probability ``p`` do.

    The sum of their squared deviations has nearly a χ² distribution, whose tails are bounded by Laurent and Massart (Annals of
    Statistics 28, 2000, lemma 1). Decisions that are shared out, so many in each row, vary less.
    """
    k, x = len(counts), math.log(2 / error)
    spread = sum((count - size * p) ** 2 for count in counts) / (size * p * (1 - p))
    return k - 2 * math.sqrt(k * x) < spread < k + 2 * math.sqrt(k * x) + 2 * x


def slack(p: float, count: int) -> float:
    """Return how far the share of ``count`` independent numbers may lie from ``p``: farther in one of ten billion runs."""
    return 6.5 * math.sqrt(p * (1 - p) / count)


def agreements(dropped: Tensor) -> list[float]:
    """Return, for each axis with neighbours, the share of neighbours that are dropped or kept together.

    Independent numbers agree in p² + (1 − p)² of all pairs, which is 58 % for p = 0.3.
    """
    axes = [axis for axis in range(dropped.dim()) if dropped.shape[axis] > 1]
    return [(dropped == dropped.roll(1, axis)).double().mean().item() for axis in axes]


def independent_elements(dropped: Tensor, message: str, hint: str, told: Mapping[str, Any]) -> None:
    """Fail if numbers of different rows, columns or batch elements are always dropped together."""
    shares = agreements(dropped)
    if max(shares) > 0.9:
        axis = shares.index(max(shares))
        raise CheckFailure(
            "dropout",
            message,
            **told,
            expected="each number dropped or kept on its own",
            yours=f"neighbours along axis {axis} dropped together in {max(shares):.0%} of the cases",
            cause="not dropped one by one",
            hint=hint,
        )


def share_is(dropped: Tensor, p: float, message: str, hint: str, told: Mapping[str, Any]) -> None:
    """Fail if the share of dropped numbers differs from ``p`` by more than chance."""
    share = dropped.double().mean().item()
    if abs(share - p) > slack(p, dropped.numel()):
        raise CheckFailure(
            "dropout",
            message,
            **told,
            expected=f"{p}",
            yours=f"{share:.3f}",
            cause="wrong probability of dropout",
            hint=hint,
        )


#: Draws of each result. Of a model of several blocks a part has to do: it tells whether dropout is passed on.
RUNS, FEW = 8000, 2500
#: Standard errors by which two right answers may differ. Of a normal distribution it is exceeded once in 10¹² comparisons.
_FARTHEST = 7.0
#: Sums of a result's numbers with random signs, in which what is dropped together shows.
_SUMS = 24


def same_dropout_distribution(
    twins: ModulePair, *inputs: Tensor, what: Sequence[str], draw: Any, setting: str, hint: str, runs: int = RUNS
) -> None:
    """Fail unless the results for many copies of one example (a batch of one) vary in training mode as the reference's do.

    An answer that is wrong without any dropout is left to the check of values, unless it is random in eval mode.
    """
    still = expect_still(twins.module, *inputs, setting=setting.replace("training", "eval"))
    with torch.no_grad():
        if not equal(tensors_of(still), tensors_of(twins.reference(*inputs))):
            return
    copies = tuple(x.expand(runs, *x.shape[1:]).clone() for x in inputs)
    twins.reference.train()
    try:
        with torch.no_grad():
            wanted = tensors_of(twins.reference(*copies))
    finally:
        twins.reference.eval()
    found = [x.detach() for x in tensors_of(twins.module.when(training=True)(*copies))]
    for name, got, want in zip(what, found, wanted, strict=False):
        if got.shape != want.shape:
            continue  # the check of shapes says so
        shown = _differ(got.double().flatten(1), want.double().flatten(1), draw)
        if shown:
            raise CheckFailure(
                "dropout",
                f"In training mode {says(name, 'does')} not vary as expected: {shown}.",
                setting=f"{setting}, one example {runs} times",
                received="dropout",
                cause="dropout missing or in the wrong place",
                hint=hint,
            )


def _differ(got: Tensor, want: Tensor, draw: Any) -> str:
    """Return in what two samples (draws, numbers) differ by more than chance; empty if in nothing."""
    if not bool(got.isfinite().all()):
        return "some of its numbers are not finite"
    signs = (draw.normal(want.shape[1], _SUMS) > 0).to(want) * 2 - 1
    got, want = (torch.cat([x, x @ signs / want.shape[1] ** 0.5], 1) for x in (got, want))
    middle = want.mean(0)
    squares = [(x - middle).square() for x in (got, want)]
    if _apart(got, want):
        varies = got.var(0).max() > 1e-9
        return "its mean over many calls is another" if varies else "nothing of it is dropped"
    if _apart(*squares):
        ratio = float((squares[0].mean(0) + 1e-12).log().sub((squares[1].mean(0) + 1e-12).log()).mean().exp())
        if ratio < 0.01:
            return "nothing of it is dropped"
        return f"its variance is {ratio:.2f} times what it should be"
    return ""


def _apart(a: Tensor, b: Tensor) -> bool:
    """Return whether the means of two samples differ by more standard errors than chance allows, in any column."""
    error = (a.var(0) / len(a) + b.var(0) / len(b)).sqrt()
    size = b.abs().mean(0).clamp(min=1e-6)
    return bool(((a.mean(0) - b.mean(0)).abs() > _FARTHEST * error + 1e-6 * size).any())
