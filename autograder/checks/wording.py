"""Sentences about a result by its name, which may be one thing or several: "The loss has", "The pictures have"."""

import re

_PLURAL = {"has": "have", "is": "are", "does": "do", "holds": "hold"}
#: What follows the noun of a name: "the bits per byte" are bits, and "A of block 0" is an A.
_AFTER = re.compile(r"\s*(?:[(\[,].*|\b(?:of|per|in|for|from|with|at|that|which)\b.*)", re.DOTALL)


def says(what: str, verb: str) -> str:
    """Return the name with the verb ("has", "is", "does", "holds") in the form that fits it."""
    return f"{what} {_PLURAL[verb] if several(what) else verb}"


def several(what: str) -> bool:
    """Return whether a name is that of several things: its noun ends with one s. Letters such as A or K are names of one."""
    words = _AFTER.sub("", what, count=1).split()
    if not words or words[0].startswith("d/d") or words[0].lower() in ("a", "an", "one", "each", "every", "no"):
        return False
    noun = words[-1]
    return "and" in words or (
        len(noun) > 2 and noun.islower() and noun.endswith("s") and not noun.endswith(("ss", "us", "is", "bias"))
    )
