"""Parse the dates of teachers and platforms; inside, all times are UTC."""

import functools
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

#: The forms in which platforms write a time with numbers only, besides ISO 8601.
_FORMS = ("%Y-%m-%d %H:%M:%S %z", "%m/%d/%Y %I:%M %p", "%d.%m.%Y %H:%M")
#: The languages in which months are known by name. No name means different months in two of them; a test says so.
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "nb")
#: Matches the time after the year: hours and minutes. Brightspace leaves out the colon, because these are names of folders.
_CLOCK = re.compile(
    r"\W*(?:(?:at|um|om|à|às|kl)\b\W*)?(\d{1,2})\s*[:.h]?\s*(\d\d)(?::(\d\d))?\s*(?:([ap])\.?\s?m\.?|uhr|h)?"
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


def of_file(seconds: float) -> datetime | None:
    """Return the time at which a file was written, in UTC, or None for one that nobody means: a file's year may be any."""
    try:
        when = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return when if 1970 <= when.year < 9999 else None  # so that it has a date in every time zone


def parse_datetime(text: str, timezone: tzinfo) -> datetime:
    """Return the point in time that a text says, in UTC; without an offset in it, in the time zone ``timezone``.

    Raises ValueError for anything else.
    """
    text = " ".join(text.replace("\N{NARROW NO-BREAK SPACE}", " ").split())
    for read in (datetime.fromisoformat, *(_reader(form) for form in _FORMS), _with_month):
        try:
            return in_utc(read(text), timezone)
        except (ValueError, OverflowError):
            continue
    raise ValueError(f"Expected a time such as 2026-10-05 23:59, but got {text[:60]!r}.")


def _reader(form: str) -> Callable[[str], datetime]:
    return lambda text: datetime.strptime(text, form)


def _with_month(text: str) -> datetime:
    """Return the time of a text with the name of a month, as ``Donnerstag, 8. Oktober 2026, 10:37`` and ``Oct 7, 2026 1035 AM``.

    Raises ValueError for anything else.
    """
    text = text.casefold()
    year = re.search(r"\b\d{4}\b", text)
    clock = _CLOCK.fullmatch(text[year.end() :]) if year else None
    parts = re.findall(r"[^\W\d_]+|\d+", text[: year.start()]) if year else []
    numbers = [int(part) for part in parts if part.isdigit()]
    # The last: "mar." begins a Tuesday in some languages, and is a month in others.
    month = next((_months()[part] for part in reversed(parts) if part in _months()), None)
    if year is None or clock is None or month is None or len(numbers) != 1:
        raise ValueError(text)
    hour, minute, second = (int(clock[place] or 0) for place in (1, 2, 3))
    if clock[4] and not 1 <= hour <= 12:
        raise ValueError(text)
    hour = hour % 12 + 12 * (clock[4] == "p") if clock[4] else hour
    return datetime(int(year[0]), month, numbers[0], hour, minute, second)


@functools.cache
def _months() -> Mapping[str, int]:
    from babel.dates import get_month_names

    return {
        name.casefold().strip("."): number
        for language in LANGUAGES
        for width in ("wide", "abbreviated")
        for context in ("format", "stand-alone")
        for number, name in get_month_names(width, context, language).items()
    }


def in_utc(when: datetime, timezone: tzinfo) -> datetime:
    return (when if when.tzinfo else when.replace(tzinfo=timezone)).astimezone(UTC)


def extension(text: str, timezone: tzinfo) -> timedelta | datetime:
    """Return an extension: ``+3`` (days), ``+12 h``, or a new due date. Raises ValueError for anything else."""
    if match := _DAYS.fullmatch(text.strip()):
        hours = (match[2] or "d").startswith("h")
        return timedelta(hours=float(match[1])) if hours else timedelta(days=float(match[1]))
    return parse_datetime(text, timezone)


def as_time_stamp(when: datetime) -> str:
    """Return the text of nbgrader's ``timestamp.txt``."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC")
