"""Parse the dates of teachers and platforms. Internally, all times are in UTC."""

import functools
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

#: The forms in which platforms write a time with numbers only, besides ISO 8601.
_FORMS = ("%Y-%m-%d %H:%M:%S %z", "%m/%d/%Y %I:%M %p", "%d.%m.%Y %H:%M")
#: The languages in which months, weekdays and halves of the day are known by name. No month name is ambiguous among them, as a
#: test verifies; Croatian is left out, because its October is its neighbours' November.
LANGUAGES = (
    "en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "nb", "fi", "et", "lv", "lt", "pl", "cs", "sk", "sl", "sr", "sr_Latn",
    "bg", "mk", "ru", "uk", "be", "hu", "ro", "ca", "gl", "el", "tr", "az", "he", "ar", "vi", "id", "ja", "ko", "zh", "zh_Hant",
)  # fmt: skip
#: The last thing in a text: hours and minutes. Brightspace leaves out the colon, because these are names of folders.
_CLOCK = re.compile(
    r"(?<!\d)(?:(?P<hour>\d{1,2})\s*(?P<separator>[:.h])\s*(?P<minute>\d\d)(?:[:.](?P<second>\d\d))?|(?P<bare>\d{3,4}))(?!\d)"
    r"(?P<after>[^\d]*)\Z"
)
_YEAR = re.compile(r"(?<!\d)20\d\d(?!\d)")
_WORD = re.compile(r"[^\W\d_]+")
#: Words that may stand between a date and its time, and after a time.
_BETWEEN = frozenset(
    ("at", "um", "om", "à", "às", "a", "las", "kl", "klo", "kello", "o", "u", "v", "в", "о", "saat", "lúc", "d", "м", "m", "г",
     "р", "r", "日", "일")
)  # fmt: skip
_AFTER = frozenset(("uhr", "uur", "h", "hod", "hs", "год", "час"))
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
    """Return a file's modification time in UTC; None for an implausible one, since the year of a file may be any."""
    try:
        when = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return when if 1970 <= when.year < 9999 else None  # so that it has a date in every time zone


def parse_datetime(text: str, timezone: tzinfo) -> datetime:
    """Return the point in time that a text states, in UTC; a text without an offset is in the time zone ``timezone``.

    Raises ValueError for text that is no date and time.
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
    """Return the time stated in a text with the month as a name or a sign, in any of the languages.

    ``Donnerstag, 8. Oktober 2026, 10:37``, ``Oct 7, 2026 1035 AM``, ``2026年10月5日 星期一 23:58``. Raises ValueError for
    any other text, and if a word beside the hours, which may mean a.m. or p.m., is unknown.
    """
    text = _plain(text)
    clock = _CLOCK.search(text)
    date = text[: clock.start()] if clock else ""
    year = _YEAR.search(date)
    if clock is None or year is None:
        raise ValueError(text)
    numbered = _numbered_month().search(date)
    spans = sorted(match.span() for match in (year, numbered) if match)
    numbers = [number for number in re.finditer(r"\d+", date) if not any(a <= number.start() < b for a, b in spans)]
    if len(numbers) != 1:
        raise ValueError(text)
    last = max(numbers[0].end(), *(end for _, end in spans))
    # Of the words the last: "mar." begins a Tuesday in some languages, and is a month in others.
    named = [_months()[word] for word in _WORD.findall(date[:last]) if word in _months()]
    months = [int(next(filter(None, numbered.groups())))] if numbered else named[-1:]
    between, after = _WORD.findall(date[last:]), "".join(_WORD.findall(clock["after"]))
    halves = [_halves()[word] for word in (*between[-1:], after) if word in _halves()]
    known_words = _weekdays() | _plain_words(_BETWEEN) | _halves().keys()
    if not months or len(halves) > 1 or not known_words.issuperset(between):
        raise ValueError(text)
    if after and after not in _halves().keys() | _plain_words(_AFTER):
        raise ValueError(text)
    hour, minute = (clock["hour"], clock["minute"]) if clock["hour"] else (clock["bare"][:-2], clock["bare"][-2:])
    hours = _hours(int(hour), halves[0] if halves else None, clock["separator"] == ":")
    return datetime(int(year[0]), months[0], int(numbers[0][0]), hours, int(minute), int(clock["second"] or 0))


def _hours(hour: int, half: int | None, has_colon: bool) -> int:
    """Return the hour of the day from the hour of a half. Moodle's Polish and Ukrainian write ``23:58 PM``."""
    if half is None or (has_colon and (hour > 12) == (half == 1) and (hour > 12 or hour == 0)):
        return hour
    if not 1 <= hour <= 12:
        raise ValueError(hour)
    return hour % 12 + 12 * half


def _plain(text: str) -> str:
    """Return the text without accents and case, and with the digits of other scripts replaced by 0 to 9."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = (character for character in decomposed if not unicodedata.combining(character))
    return "".join(str(unicodedata.digit(character)) if character.isdigit() else character for character in plain)


@functools.cache
def _plain_words(words: frozenset[str]) -> frozenset[str]:
    return frozenset(_WORD.findall(_plain(" ".join(words))))


@functools.cache
def _numbered_month() -> re.Pattern[str]:
    """Return a pattern for the months of languages that number them: ``10月``, ``10월``, ``tháng 10``."""
    east, vietnamese = (_plain(sign) for sign in ("月|월", "tháng|thg"))
    return re.compile(rf"(?<!\d)(\d{{1,2}})\s*(?:{east})|(?:{vietnamese})\s*(\d{{1,2}})")


def _names(of: Callable[..., Mapping[Any, str]], *widths: str) -> Iterator[tuple[Any, str]]:
    """Yield the names that Babel has in all languages, each with its meaning."""
    for language in LANGUAGES:
        for width in widths:
            for context in ("format", "stand-alone"):
                yield from of(width, context, language).items()


@functools.cache
def _months() -> Mapping[str, int]:
    from babel.dates import get_month_names

    names = ((number, _plain(name).strip(".")) for number, name in _names(get_month_names, "wide", "abbreviated"))
    return {name: number for number, name in names if _WORD.fullmatch(name)}


@functools.cache
def _weekdays() -> frozenset[str]:
    from babel.dates import get_day_names

    return frozenset(
        word for _, name in _names(get_day_names, "wide", "abbreviated") for word in _WORD.findall(_plain(name))
    )


@functools.cache
def _halves() -> Mapping[str, int]:
    """Return the names of a.m. and p.m. as single words: 0 before noon, 1 after it."""
    from babel.dates import get_period_names

    names = _names(get_period_names, "wide", "abbreviated")
    return {"".join(_WORD.findall(_plain(name))): int(key == "pm") for key, name in names if key in ("am", "pm")}


def in_utc(when: datetime, timezone: tzinfo) -> datetime:
    return (when if when.tzinfo else when.replace(tzinfo=timezone)).astimezone(UTC)


def extension(text: str, timezone: tzinfo) -> timedelta | datetime:
    """Parse an extension: ``+3`` (days), ``+12 h``, or a new due date. Raises ValueError for anything else."""
    if match := _DAYS.fullmatch(text.strip()):
        hours = (match[2] or "d").startswith("h")
        try:
            return timedelta(hours=float(match[1])) if hours else timedelta(days=float(match[1]))
        except OverflowError:
            raise ValueError(
                f"Expected an extension of some days or hours, such as +3 or +12 h, got {text!r}."
            ) from None
    return parse_datetime(text, timezone)


def as_time_stamp(when: datetime) -> str:
    """Return the text of nbgrader's ``timestamp.txt``."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC")
