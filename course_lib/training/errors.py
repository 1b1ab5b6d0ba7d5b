"""The error of everything that is wrong with a checkpoint, and how names from a file are written in it."""

from collections.abc import Iterable

LONGEST = 60
MOST = 5


class CheckpointError(ValueError):
    """A checkpoint that cannot be written, read or used; the text says what was expected, what came and what to do."""


def some(names: Iterable[str]) -> str:
    """Return the first few of `names` as text. They may come from a stranger's file, so they are escaped and cut."""
    listed = sorted(names)
    rest = f" and {len(listed) - MOST} more" if len(listed) > MOST else ""
    return ", ".join(map(quoted, listed[:MOST])) + rest


def quoted(name: str) -> str:
    """Return `name` in quotes, in ASCII, at most about LONGEST characters long."""
    text = ascii(name)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]}...{text[0]}"
