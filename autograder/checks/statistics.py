"""Verdicts about random results, with a known error rate.

By Chernoff's bound, the number of successes in n independent trials with probability p deviates from n p as far as k or farther
with probability at most 2 exp(−n KL(k/n, p)), where KL(a, p) = a ln(a/p) + (1 − a) ln((1 − a)/(1 − p)); see T. M. Cover and
J. A. Thomas, "Elements of Information Theory", 2006, section 11.1. The bound is not an approximation: it also holds for small n.
"""

import math
from collections.abc import Sequence

#: Probability that one comparison rejects a right answer. A check makes fewer than a hundred, an exercise a few hundred.
ERROR = 1e-9


def credible(successes: int, trials: int, probability: float, error: float = ERROR) -> bool:
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


def varies(counts: Sequence[int], size: int, p: float, error: float = ERROR) -> bool:
    """Return whether counts vary as those of ``size`` independent decisions of probability ``p`` do.

    The sum of their squared deviations has nearly a χ² distribution, whose tails are bounded by Laurent and Massart (Annals of
    Statistics 28, 2000, lemma 1). Decisions that are shared out, so many in each row, vary less.
    """
    k, x = len(counts), math.log(2 / error)
    spread = sum((count - size * p) ** 2 for count in counts) / (size * p * (1 - p))
    return k - 2 * math.sqrt(k * x) < spread < k + 2 * math.sqrt(k * x) + 2 * x
