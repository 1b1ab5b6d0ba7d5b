"""Parse the dates of teachers and platforms; inside, all times are UTC."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

#: The forms in which platforms write a time besides ISO 8601.
_FORMS = (
    "%Y-%m-%d %H:%M:%S %z",
    "%A, %d %B %Y, %I:%M %p",  # Moodle, English
    "%A, %d. %B %Y, %H:%M",  # Moodle, German
    "%d %B %Y, %I:%M %p",
    "%b %d, %Y %I%M %p",  # Brightspace, in names of folders
    "%B %d, %Y %I%M %p",
    "%b %d, %Y %I:%M %p",
    "%B %d, %Y %I:%M %p",
    "%m/%d/%Y %I:%M %p",
    "%d.%m.%Y %H:%M",
)
_DAYS = re.compile(r"\+\s*(\d+(?:\.\d+)?)\s*(d|day|days|h|hour|hours)?")


def zone(name: str | None) -> tzinfo:
    """Return the time zone of this name, or the machine's own. Raises ValueError for an unknown name."""
    if not name:
        return datetime.now().astimezone().tzinfo or UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"There is no time zone {name!r}. Expected a name such as Europe/Berlin.") from None


def parse_datetime(text: str, here: tzinfo) -> datetime:
    """Return the point in time that a text says, in UTC; without an offset in it, in the time zone ``here``.

    Raises ValueError for anything else.
    """
    text = " ".join(text.replace("\N{NARROW NO-BREAK SPACE}", " ").split())
    for read in (datetime.fromisoformat, *(_reader(form) for form in _FORMS)):
        try:
            return in_utc(read(text), here)
        except (ValueError, OverflowError):
            continue
    raise ValueError(f"Expected a time such as 2026-10-05 23:59, but got {text[:60]!r}.")


def _reader(form: str) -> Callable[[str], datetime]:
    return lambda text: datetime.strptime(text, form)


def in_utc(when: datetime, here: tzinfo) -> datetime:
    return (when if when.tzinfo else when.replace(tzinfo=here)).astimezone(UTC)


def extension(text: str, here: tzinfo) -> timedelta | datetime:
    """Return an extension: ``+3`` (days), ``+12 h``, or a new due date. Raises ValueError for anything else."""
    if found := _DAYS.fullmatch(text.strip()):
        hours = (found[2] or "d").startswith("h")
        return timedelta(hours=float(found[1])) if hours else timedelta(days=float(found[1]))
    return parse_datetime(text, here)


def as_time_stamp(when: datetime) -> str:
    """Return the text of nbgrader's ``timestamp.txt``."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC")
