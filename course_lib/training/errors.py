"""The error of checkpoints, and the formatting of untrusted names in its message."""

from collections.abc import Iterable

LONGEST = 60
MOST = 5


class CheckpointError(ValueError):
    """A checkpoint that cannot be written, read or used; the message says what was expected, what was found and what to do."""


def some(names: Iterable[str]) -> str:
    """Format the first few of `names`, escaped and cut, since they may come from an untrusted file."""
    listed = sorted(names)
    rest = f" and {len(listed) - MOST} more" if len(listed) > MOST else ""
    return ", ".join(map(quoted, listed[:MOST])) + rest


def quoted(name: str) -> str:
    """Return `name` in quotes, in ASCII, at most about LONGEST characters long."""
    text = ascii(name)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]}...{text[0]}"
