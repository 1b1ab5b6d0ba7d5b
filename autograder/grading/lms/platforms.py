"""How each platform names the files of a hand-in, from its own documentation and code.

Moodle: ``Ada Lovelace_123_assignsubmission_file_/attention.ipynb``, or ``…_file_attention.ipynb`` without folders; in an
assignment for groups the group's name stands before the student's. Canvas: ``lovelaceada_LATE_4711_0815_attention-1.ipynb``, and
``lovelaceada_4711_text.html`` for what was typed. Brightspace: ``12-34 - Ada Lovelace - Oct 5, 2026 1159 PM/attention.ipynb``, or
``… - attention.ipynb`` without folders. Gradescope: ``submission_99/attention.ipynb``, and who that is in
``submission_metadata.yml``.

A platform writes the first part of each path, and a student the rest. So only the first parts tell which platform it is, and all
of them have to.
"""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from pathlib import PurePosixPath
from typing import Any

from autograder.grading.lms.archives import Entry
from autograder.grading.roster.datetimes import in_utc, parse_datetime
from autograder.grading.roster.roster import StudentMatch
from autograder.grading.submission.read import without_copy

MOODLE, CANVAS, BRIGHTSPACE, GRADESCOPE, PLAIN = "Moodle", "Canvas", "Brightspace", "Gradescope", "files"

#: A file may be called like another one's whole entry: who handed it in stands first.
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)_?(?P<rest>.*)", re.DOTALL)
_CANVAS = re.compile(
    r"(?:(?:(?P<late>LATE)_)?anon_(?P<anonymous>\w+?)|(?P<name>[^/]*?)(?:_(?P<late_>LATE))?_(?P<id>\d+))"
    r"_(?:(?P<file>\d+)_(?P<rest>[^/]+)|(?P<typed>(?:link|text)\.html))",
    re.DOTALL,
)
_BRIGHTSPACE = re.compile(r"(?P<id>\d+-\d+) - (?P<rest>.+)", re.DOTALL)
_TIME = re.compile(r".*(?<!\d)20\d\d(?!\d).*\d.*")
_GRADESCOPE = re.compile(r"submission_\d+")
_METADATA = "submission_metadata.yml"
_MOST_METADATA = 50 * 2**20


@dataclass(frozen=True)
class Found:
    """One file of a hand-in: whose it is, its path inside, and the attempt to which it belongs.

    ``when`` is the time of handing in, where the platform says it, and ``said`` its text, where that is not understood; ``late``
    whether it says that this was too late.
    """

    entry: Entry
    who: tuple[StudentMatch, ...]
    inside: str
    attempt: str
    when: datetime | None = None
    said: str = ""
    late: bool = False


@dataclass(frozen=True)
class Source:
    """What the teacher says of the files. ``here`` is the time zone, ``own`` are names of the assignment and its notebook;
    ``is_student`` tells whether a folder's name is a student's. ``platform`` is empty where the names are to tell it."""

    here: tzinfo
    own: Sequence[str]
    is_student: Callable[[str], bool]
    platform: str = ""


def recognised(found: Sequence[Entry], source: Source) -> tuple[str, str, list[Found]]:
    """Return the platform that made these files, the folder around all of them, and what they are."""
    around, found = _without_outer_folders(found, source)
    platform = source.platform or _platform_of(found)
    if platform == GRADESCOPE:
        return platform, around, _gradescope(found, source.here)
    read: Mapping[str, Callable[[Entry], Found | None]] = {
        MOODLE: functools.partial(_moodle, for_groups=_for_groups(found)),
        CANVAS: _canvas,
        BRIGHTSPACE: functools.partial(_brightspace, here=source.here),
        PLAIN: lambda entry: None,
    }
    ours = [entry for entry in found if platform != BRIGHTSPACE or entry.path != _INDEX]
    return platform, around, [read[platform](entry) or _plain(entry, source.own) for entry in ours]


def _platform_of(found: Sequence[Entry]) -> str:
    """Return the platform to which the names of all entries point."""
    first = {entry.path.partition("/")[0] for entry in found}
    lists = {_METADATA: GRADESCOPE, _INDEX: BRIGHTSPACE}
    patterns = {MOODLE: _MOODLE, CANVAS: _CANVAS, BRIGHTSPACE: _BRIGHTSPACE, GRADESCOPE: _GRADESCOPE}
    for platform, pattern in patterns.items():
        names = {name for name in first if lists.get(name) != platform}
        folders = platform == CANVAS and any("/" in entry.path for entry in found)  # it makes none
        unlisted = platform == GRADESCOPE and names == first
        if names and not folders and not unlisted and all(map(pattern.fullmatch, names)):
            return platform
    return PLAIN


_INDEX = "index.html"  # Brightspace's own list of what is in the archive


def _without_outer_folders(found: Sequence[Entry], source: Source) -> tuple[str, list[Entry]]:
    """Return the folder around everything, such as the one that was zipped, and the files without it; it is nobody's hand-in."""
    around = PurePosixPath()
    while found:
        first = {entry.path.partition("/")[0] for entry in found}
        name = next(iter(first))
        known = any(pattern.fullmatch(name) for pattern in (_MOODLE, _BRIGHTSPACE, _GRADESCOPE))
        if len(first) > 1 or known or not all("/" in entry.path for entry in found) or source.is_student(name):
            break
        around /= name
        found = [replace(entry, path=entry.path.partition("/")[2]) for entry in found]
    return "" if around == PurePosixPath() else str(around), list(found)


def _for_groups(found: Sequence[Entry]) -> bool:
    """Say whether names of groups stand before those of students: before all or none, as Moodle writes them."""
    names = {match["name"] for entry in found if (match := _MOODLE.fullmatch(entry.path.partition("/")[0]))}
    return len(names) > 1 and all("-" in name for name in names)


def _moodle(entry: Entry, for_groups: bool) -> Found | None:
    first, _, below = entry.path.partition("/")
    match = _MOODLE.fullmatch(first)
    if match is None:
        return None
    inside = below or match["rest"] or PurePosixPath(entry.path).name
    # A group's name stands before the student's, with a hyphen; either may hold hyphens itself.
    parts = match["name"].split("-")
    names = tuple("-".join(parts[place:]) for place in range(len(parts) if for_groups else 1))
    return Found(
        entry, (StudentMatch((f"Participant {match['id']}",), names),), inside, f"{match['name']}_{match['id']}"
    )


def _canvas(entry: Entry) -> Found | None:
    match = _CANVAS.fullmatch(entry.path)
    if match is None:
        return None
    key = match["id"] or match["anonymous"]
    who = StudentMatch((f"Canvas {key}",), tuple(filter(None, [match["name"]])))
    return Found(entry, (who,), match["rest"] or match["typed"], key, late=bool(match["late"] or match["late_"]))


def _brightspace(entry: Entry, here: tzinfo) -> Found | None:
    first, _, below = entry.path.partition("/")
    match = _BRIGHTSPACE.fullmatch(first)
    if match is None:
        return None
    parts = match["rest"].split(" - ")
    # The first part that looks like a time is the platform's; a file may be called like one.
    at = next((place for place, text in enumerate(parts) if _TIME.fullmatch(text)), len(parts) if below else 1)
    said = parts[at] if at < len(parts) and _TIME.fullmatch(parts[at]) else ""
    file = " - ".join(parts[at + bool(said) :])
    if not (at and (below or file)):
        return None
    names = (" ".join(parts[:at]), *parts[:at])  # a login may stand before the name
    when = _or_none(said, here)
    attempt = first if below else first.removesuffix(file)
    return Found(entry, (StudentMatch(names, names),), below or file, attempt, when, "" if when else said)


def _or_none(text: str, here: tzinfo) -> datetime | None:
    try:
        return parse_datetime(text, here)
    except ValueError:
        return None


def _gradescope(found: Sequence[Entry], here: tzinfo) -> list[Found]:
    import yaml

    try:
        [metadata] = [entry for entry in found if entry.path == _METADATA]
        about = yaml.safe_load(metadata.read(_MOST_METADATA))
        said = {str(name): value for name, value in about.items() if isinstance(value, dict)}
    except (yaml.YAMLError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(f"{_METADATA} cannot be read: {error}") from None
    files = []
    for entry in found:
        if entry is metadata:
            continue
        attempt, _, inside = entry.path.partition("/")
        submission = said.get(attempt, {})
        who = tuple(_submitter(one) for one in submission.get(":submitters", ()) if isinstance(one, dict))
        when = submission.get(":created_at")
        at = in_utc(when, here) if isinstance(when, datetime) else _or_none(str(when), here)
        text = "" if at else str(when or "no time")
        files.append(Found(entry, who or (StudentMatch((), (attempt,)),), inside or attempt, attempt, at, text))
    return files


def _submitter(about: Mapping[str, Any]) -> StudentMatch:
    ids = tuple(str(about[key]) for key in (":sid", ":email") if about.get(key))
    return StudentMatch(ids, (str(about[":name"]),) if about.get(":name") else ())


def _plain(entry: Entry, own: Sequence[str]) -> Found:
    """Return whose file this is by its first folder, or by its name without that of the assignment."""
    first, _, below = entry.path.partition("/")
    name = first if below else PurePosixPath(first).stem
    bare = without_copy(name)
    less = _without(bare, own)
    names = tuple(dict.fromkeys(filter(None, (bare, less, less.replace("_", " ").replace(".", " ")))))
    steps = below.split("/")
    inside = "/".join(steps[1:]) if len(steps) > 1 and steps[0] in own else below
    return Found(entry, (StudentMatch(names, names),), inside or first, name if below else "loose")


def _without(name: str, own: Sequence[str]) -> str:
    for word in sorted(own, key=len, reverse=True):
        name = re.sub(rf"(^|[-_ .]+){re.escape(word)}(?=$|[-_ .])", "", name, flags=re.IGNORECASE)
    return name.strip("-_ .")
