"""Seeds. Apart from PyTorch, so that a command that only chooses or prints a seed need not load it."""

import os
import secrets

#: Bits of every seed: fewer could be tried out in seconds.
BITS = 64


def fresh_seed() -> int:
    """Return the seed in the environment variable ``AUTOGRADER_SEED``, or else an unpredictable one."""
    text = os.environ.get("AUTOGRADER_SEED", "")
    if text and not text.isdigit():
        raise ValueError(f"AUTOGRADER_SEED should be a whole number such as 1729, but is {text!r}.")
    return int(text) if text else secrets.randbits(BITS)
