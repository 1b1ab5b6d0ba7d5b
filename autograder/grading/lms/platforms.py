"""How each platform names the files of a hand-in, from its own documentation and code.

Moodle: ``Ada Lovelace_123_assignsubmission_file_/attention.ipynb``, or ``…_file_attention.ipynb`` without folders; a group's
name may stand before the student's. Canvas: ``lovelaceada_LATE_4711_0815_attention-1.ipynb``. Brightspace: ``12-34 - Ada
Lovelace - Oct 5, 2026 1159 PM/attention.ipynb``. Gradescope: ``submission_99/attention.ipynb``, and who that is in
``submission_metadata.yml``.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import PurePosixPath
from typing import Any

from autograder.grading.lms.archives import Entry
from autograder.grading.roster.datetimes import in_utc, parse_datetime
from autograder.grading.roster.names import COPY
from autograder.grading.roster.roster import StudentMatch
from autograder.grading.submission.read import UnsafeSubmission

MOODLE, CANVAS, BRIGHTSPACE, GRADESCOPE, PLAIN = "Moodle", "Canvas", "Brightspace", "Gradescope", "files"

#: A file may be called like another one's whole entry: who handed it in stands first.
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)_?(?P<rest>.*)")
_CANVAS = re.compile(r"(?P<name>.*?)(?:_(?P<late>LATE))?_(?P<id>\d+)_(?P<file>\d+)_(?P<rest>.+)")
_CANVAS_ANONYMOUS = re.compile(r"(?:(?P<late>LATE)_)?anon_(?P<id>\w+?)_(?P<file>\d+)_(?P<rest>.+)")
_BRIGHTSPACE = re.compile(r"(?P<id>\d+-\d+) - (?P<name>.+) - (?P<when>[^-]+)")
_METADATA = "submission_metadata.yml"
_MOST_METADATA = 50 * 2**20


@dataclass(frozen=True)
class Found:
    """One file of a hand-in: whose it is, its path inside, and the attempt to which it belongs.

    ``when`` is the time of handing in, where the platform says it; ``late`` whether it says that this was too late.
    """

    entry: Entry
    who: tuple[StudentMatch, ...]
    inside: str
    attempt: str
    when: datetime | None = None
    late: bool = False


def recognised(
    found: Sequence[Entry], here: tzinfo, own: Sequence[str], is_student: Callable[[str], bool]
) -> tuple[str, list[Found]]:
    """Return the platform that made these files, and what they are.

    ``own`` are names of the assignment and its notebook; ``is_student`` tells whether a folder's name is a student's.
    """
    for entry in found:
        if _is_of_gradescope(entry, found, is_student):
            return GRADESCOPE, _gradescope(found, entry, here)
    readers: dict[str, Callable[[Entry], Found | None]] = {
        MOODLE: _moodle,
        CANVAS: _canvas,
        BRIGHTSPACE: lambda entry: _brightspace(entry, here),
    }
    results = {name: [read(entry) for entry in found] for name, read in readers.items()}
    fits = {name: sum(one is not None for one in results[name]) for name in readers}
    best = max(fits, key=lambda name: fits[name])
    if fits[best] and fits[best] >= len(found) / 2:
        return best, [one or _plain(entry, own) for one, entry in zip(results[best], found, strict=True)]
    return PLAIN, [_plain(entry, own) for entry in _without_outer_folders(found, is_student)]


def _is_of_gradescope(entry: Entry, found: Sequence[Entry], is_student: Callable[[str], bool]) -> bool:
    """Say whether this is Gradescope's own list, which lies beside all that was handed in; a student's file may have its name."""
    top, _, name = entry.path.rpartition("/")
    if name != _METADATA or not all(other.path.startswith(f"{top}/" if top else "") for other in found):
        return False
    folder = top.rpartition("/")[2]
    return not (_MOODLE.fullmatch(folder) or _BRIGHTSPACE.fullmatch(folder) or is_student(folder))


def _moodle(entry: Entry) -> Found | None:
    first, _, below = entry.path.partition("/")
    match = _MOODLE.fullmatch(first)
    if match is None:
        return None
    inside = below or match["rest"] or PurePosixPath(entry.path).name
    # A group's name stands before the student's, with a hyphen; either may hold hyphens itself.
    parts = match["name"].split("-")
    names = tuple("-".join(parts[place:]) for place in range(len(parts)))
    return Found(
        entry, (StudentMatch((f"Participant {match['id']}",), names),), inside, f"{match['name']}_{match['id']}"
    )


def _canvas(entry: Entry) -> Found | None:
    name = entry.path.rpartition("/")[2]
    match = _CANVAS_ANONYMOUS.fullmatch(name) or _CANVAS.fullmatch(name)
    if match is None:
        return None
    names = tuple(filter(None, [match.groupdict().get("name")]))
    who = StudentMatch((f"Canvas {match['id']}",), names)
    return Found(entry, (who,), match["rest"], match["id"], late=bool(match["late"]))


def _brightspace(entry: Entry, here: tzinfo) -> Found | None:
    folders = entry.path.split("/")[:-1]
    for depth, folder in enumerate(folders):
        if match := _BRIGHTSPACE.fullmatch(folder):
            inside = "/".join(entry.path.split("/")[depth + 1 :])
            return Found(entry, (StudentMatch((), (match["name"],)),), inside, folder, _or_none(match["when"], here))
    return None


def _or_none(text: str, here: tzinfo) -> datetime | None:
    try:
        return parse_datetime(text, here)
    except ValueError:
        return None


def _gradescope(found: Sequence[Entry], metadata: Entry, here: tzinfo) -> list[Found]:
    import yaml

    top = metadata.path.removesuffix(_METADATA)
    try:
        about = yaml.safe_load(metadata.read(_MOST_METADATA))
        said = {str(name): value for name, value in about.items() if isinstance(value, dict)}
    except (yaml.YAMLError, AttributeError, UnsafeSubmission, RecursionError) as error:
        raise ValueError(f"{metadata.path} cannot be read: {error}") from None
    files = []
    for entry in found:
        if not entry.path.startswith(top) or entry is metadata:
            continue
        attempt, _, inside = entry.path.removeprefix(top).partition("/")
        told = said.get(attempt, {})
        who = tuple(_submitter(one) for one in told.get(":submitters", ()) if isinstance(one, dict))
        when = told.get(":created_at")
        at = in_utc(when, here) if isinstance(when, datetime) else _or_none(str(when), here)
        files.append(Found(entry, who or (StudentMatch((), (attempt,)),), inside or attempt, attempt, at))
    return files


def _submitter(about: Mapping[str, Any]) -> StudentMatch:
    ids = tuple(str(about[key]) for key in (":sid", ":email") if about.get(key))
    return StudentMatch(ids, (str(about[":name"]),) if about.get(":name") else ())


def _without_outer_folders(found: Sequence[Entry], is_student: Callable[[str], bool]) -> list[Entry]:
    """Drop folders around everything, such as the one that was zipped, unless it is a student's."""
    while found:
        first = {entry.path.partition("/")[0] for entry in found if "/" in entry.path}
        if len(first) != 1 or not all("/" in entry.path for entry in found) or is_student(next(iter(first))):
            break
        found = [Entry(e.path.partition("/")[2], e.size, e.written, e.read) for e in found]
    return list(found)


def _plain(entry: Entry, own: Sequence[str]) -> Found:
    """Return whose file this is by its first folder, or by its name without that of the assignment."""
    first, _, below = entry.path.partition("/")
    name = first if below else PurePosixPath(first).stem
    bare = COPY.sub("", name)
    less = _without(bare, own)
    names = tuple(dict.fromkeys(filter(None, (bare, less, less.replace("_", " ").replace(".", " ")))))
    steps = below.split("/")
    inside = "/".join(steps[1:]) if len(steps) > 1 and steps[0] in own else below
    return Found(entry, (StudentMatch(names, names),), inside or first, name if below else "loose")


def _without(name: str, own: Sequence[str]) -> str:
    for word in sorted(own, key=len, reverse=True):
        name = re.sub(rf"(^|[-_ .]+){re.escape(word)}(?=$|[-_ .])", "", name, flags=re.IGNORECASE)
    return name.strip("-_ .")
