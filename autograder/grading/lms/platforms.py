"""Find the student of each file in a platform's archive, by the platform's own scheme of names.

Moodle: ``Ada Lovelace_123_assignsubmission_file_/attention.ipynb``, or ``…_file_attention.ipynb`` without folders; for groups
that hand in together ``Team 7_12_…`` with the number of the group, and ``Default group_…`` without one; in older versions the
name of a group stands before the student's. Canvas: ``lovelaceada_LATE_4711_0815_attention-1.ipynb``, and
``lovelaceada_4711_text.html`` for what was typed. Brightspace: ``12-34 - Ada Lovelace - Oct 5, 2026 1159 PM/attention.ipynb``, or
``… - attention.ipynb`` without folders. Gradescope: ``submission_99/attention.ipynb``, and who that is in
``submission_metadata.yml``. Blackboard: ``Title_alovelace_attempt_2026-10-05-23-59-00_attention.ipynb``, and beside it a receipt,
``Title_alovelace_attempt_2026-10-05-23-59-00.txt``, whose first line is ``Name: Ada Lovelace (alovelace)``.

Sakai: ``Lovelace, Ada(alovelace)/Submission attachment(s)/attention.ipynb``, beside it the time in ``timestamp.txt``, and beside
the folders ``grades.csv``; without folders ``Lovelace, Ada(alovelace)_Submission attachment(s)_attention.ipynb``. OpenOlat:
``Lovelace_Ada_alovelace/2_submissions/attention.ipynb``, and beside it ``1_task``, ``3_corrections``, ``4_revisions_1``. For a
group its name stands in the place of the student's, in Sakai ``Team 7 (0a1b2c3d-…)``.

Of other platforms the folders hold a name and a login, and perhaps attempts.
ILIAS: ``Lovelace_Ada_alovelace_4711/attention.ipynb``, for teams below ``Team 12``, late ``Late Submission - attention.ipynb``.
Teams: ``Submitted files/Ada Lovelace/01-attention/Version 2/attention.ipynb``, and beside it ``Working files``.
Schoology: ``Lovelace, Ada - alovelace/Revision 2 - Late/…``.
Open edX: ``[1]Week 1, [1]Attention, [1]Hand in/[1] - alovelace - attention.ipynb``.
nbgrader's exchange: ``alovelace+01-attention+2026-10-05 21:30:00 UTC+bXlJ/attention.ipynb``.

A platform writes the first part of each path, and a student the rest. So only the first parts tell which platform it is, and all
of them have to.
"""

import functools
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import PurePosixPath
from typing import Any

from autograder.grading.lms.archives import Entry
from autograder.grading.roster.datetimes import in_utc, parse_datetime
from autograder.grading.roster.roster import StudentMatch, letters_and_digits
from autograder.grading.submission.read import UnsafeSubmission, without_copy

MOODLE, CANVAS, BRIGHTSPACE, GRADESCOPE = "Moodle", "Canvas", "Brightspace", "Gradescope"
BLACKBOARD, SAKAI, OPENOLAT, PLAIN = "Blackboard", "Sakai", "OpenOlat", "files"
PLATFORMS = (MOODLE, CANVAS, BRIGHTSPACE, BLACKBOARD, GRADESCOPE, SAKAI, OPENOLAT, PLAIN)

#: A file may be called like another one's whole entry: who handed it in stands first.
_MOODLE = re.compile(r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?P<kind>[a-z]+)_?(?P<rest>.*)", re.DOTALL)
_CANVAS = re.compile(
    r"(?:(?:(?P<late>LATE)_)?anon_(?P<anonymous>\w+?)|(?P<name>[^/]*?)(?:_(?P<late_>LATE))?_(?P<id>\d+))"
    r"_(?:(?P<file>\d+)_(?P<rest>[^/]+)|(?P<typed>(?:link|text)\.html))",
    re.DOTALL,
)
_BRIGHTSPACE = re.compile(r"(?P<id>\d+-\d+) - (?P<rest>.+)", re.DOTALL)
_TIME = re.compile(r".*(?<!\d)20\d\d(?!\d).*\d.*")
_GRADESCOPE = re.compile(r"submission_\d+")
_BLACKBOARD = re.compile(
    r"(?P<title_and_login>[^/]+?)_attempt_(?P<time>20\d\d(?:-\d\d){5})(?:_(?P<rest>[^/]+)|(?P<receipt>\.txt))",
    re.DOTALL,
)
_RECEIPT = re.compile(r"[^:：\n]+[:：][ \t]*(?P<name>[^\n]*?)[ \t]*\((?P<login>[^()\n]+)\)[ \t]*\r?(?:\n|\Z)")
_MOST_RECEIPT = 2**20
_SAKAI_FOLDER = re.compile(r"(?P<name>[^/]*?) ?\((?P<login>[^()/]+)\)")
#: Where Sakai puts what was attached, if its language is English; without folders that stands in the file's name.
_ATTACHMENTS = "Submission attachment(s)"
_SAKAI_FILE = re.compile(rf"{_SAKAI_FOLDER.pattern}_{re.escape(_ATTACHMENTS)}_(?P<rest>[^/]+)")
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
#: A submission's own id and a word, such as ``0a1b2c3d-… Anonymous``, in the place of a name.
_SAKAI_ANONYMOUS = re.compile(rf"{_UUID} [^/]+")
#: What stands behind a group's name.
_SAKAI_GROUP = re.compile(rf" \({_UUID}\)$")
#: What Sakai writes itself: a list of the class, and into each student's folder.
_SAKAI_LISTS = ("grades.csv", "grades.xls", "grades.xlsx")
_SAKAI_OWN = ("timestamp.txt", "comments.txt", "feedbackText.html")
_SAKAI_FEEDBACK = "Feedback Attachment(s)"
_OPENOLAT_STEP = re.compile(r"\d+_(?:task|(?P<work>submissions|revisions_\d+)|corrections(?:_\d+)?|assessment)")
_OPENOLAT_SOLUTIONS = "solutions"
#: Endings of the lists that platforms put beside the hand-ins. No notebook, nor what it needs, ends so.
_LISTS = (".csv", ".xls", ".xlsx", ".ods", ".html", ".pdf", ".txt")
_METADATA = "submission_metadata.yml"
_MOST_METADATA = 50 * 2**20


@dataclass(frozen=True)
class SubmittedFile:
    """One file of a hand-in: its students, its path inside the hand-in, and the attempt to which it belongs.

    ``when`` is the submission time according to the platform, and ``unparsed_time`` its text if it could not be parsed. ``late``
    is True if the platform marks the work as late, ``anonymous`` if it hides the student. ``of_group`` is the name of the group
    that handed it in.
    """

    entry: Entry
    submitters: tuple[StudentMatch, ...]
    inside: str
    attempt: str
    when: datetime | None = None
    unparsed_time: str = ""
    late: bool = False
    anonymous: bool = False
    of_group: str = ""


@dataclass(frozen=True)
class Source:
    """What is known about the files before they are read.

    ``timezone`` is that of their times; ``own_names`` are the names of the assignment and its notebook; ``is_student`` recognises
    a student's folder, ``is_both`` a name and a login of the same student, and ``is_group`` the name of a group that hands in
    together. ``sheet_names`` are the names in the platform's sheet, by its key. Without a ``platform``, the files' names decide.
    """

    timezone: tzinfo
    own_names: Sequence[str]
    is_student: Callable[[str], bool]
    platform: str = ""
    is_both: Callable[[str, str], bool] = lambda name, login: False
    is_group: Callable[[str], bool] = lambda name: False
    sheet_names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Recognised:
    """The platform that made the files, the folder around all of them, and the files with their students.

    ``working_files`` are paths in Teams of work that is not handed in, and ``other_assignments`` the titles of other assignments.
    """

    platform: str
    outer_folder: str
    files: list[SubmittedFile]
    working_files: list[str] = field(default_factory=list)
    other_assignments: list[str] = field(default_factory=list)


def recognise_files(entries: Sequence[Entry], source: Source) -> Recognised:
    """Find the student of each file. Raises ValueError if the files are from several assignments, or if a list is damaged."""
    outer_folder, entries = _without_outer_folders(entries, source)
    entries, working_files = _without_working_files(entries)
    entries, other_assignments = _without_other_assignments(entries, source)
    platform = source.platform or _platform_of(entries)
    if platform == GRADESCOPE:
        files = _gradescope(entries, source.timezone)
    elif platform in (BLACKBOARD, SAKAI, OPENOLAT):
        files = {BLACKBOARD: _blackboard, SAKAI: _sakai, OPENOLAT: _openolat}[platform](entries, source)
    else:
        files = _one_by_one(platform, entries, source)
    return Recognised(platform, outer_folder, files, working_files, other_assignments)


def _one_by_one(platform: str, entries: Sequence[Entry], source: Source) -> list[SubmittedFile]:
    """Return the files of a platform on which each file's name alone identifies the student."""
    of_edx = platform == PLAIN and _is_of_edx(entries)
    readers: Mapping[str, Callable[[Entry], SubmittedFile | None]] = {
        MOODLE: functools.partial(_moodle, for_groups=_for_groups(entries), blind=_is_blind(entries), source=source),
        CANVAS: _canvas,
        BRIGHTSPACE: functools.partial(_brightspace, timezone=source.timezone),
        PLAIN: _edx if of_edx else lambda entry: None,
    }
    if platform == PLAIN:
        source = replace(source, own_names=(*source.own_names, *_title_above_versions(entries)))
    own_list = _INDEX if platform == BRIGHTSPACE else _EDX_LIST if of_edx else None
    return [readers[platform](entry) or _plain_file(entry, source) for entry in entries if entry.path != own_list]


def uploaded_name(platform: str, paths: Sequence[str]) -> str:
    """Return the platform's name for a student's work, from the paths in its archive; empty for other platforms."""
    if platform == MOODLE:
        return min(path.partition("/")[0] for path in paths)
    of_kind = {PurePosixPath(path).suffix.lower(): path for path in sorted(paths, reverse=True)}
    return of_kind.get(".zip") or of_kind.get(".ipynb") or "" if platform == CANVAS else ""


def _platform_of(entries: Sequence[Entry]) -> str:
    """Return the platform that the names of all entries indicate."""
    first_names = {entry.path.partition("/")[0] for entry in entries}
    index_of = {_METADATA: GRADESCOPE, _INDEX: BRIGHTSPACE}
    patterns = {
        MOODLE: _MOODLE,
        CANVAS: _CANVAS,
        BRIGHTSPACE: _BRIGHTSPACE,
        GRADESCOPE: _GRADESCOPE,
        BLACKBOARD: _BLACKBOARD,
    }
    for platform, pattern in patterns.items():
        names = {name for name in first_names if index_of.get(name) != platform}
        folders = platform in (CANVAS, BLACKBOARD) and any("/" in entry.path for entry in entries)  # they make none
        unlisted = platform == GRADESCOPE and names == first_names
        if names and not folders and not unlisted and all(map(pattern.fullmatch, names)):
            return platform
    if any(entry.path in _SAKAI_LISTS for entry in entries) and all(map(_is_of_sakai, entries)):
        return SAKAI
    split_paths = [entry.path.split("/") for entry in entries if not is_list(entry.path)]
    split_paths = [parts for parts in split_paths if parts[0] != _OPENOLAT_SOLUTIONS]
    inner = [_OPENOLAT_STEP.fullmatch(parts[1]) if len(parts) > 2 else None for parts in split_paths]
    return OPENOLAT if all(inner) and any(match["work"] for match in inner if match) else PLAIN


def is_list(path: str) -> bool:
    """Return whether a file is beside the students' folders and has the suffix of a platform's list."""
    return "/" not in path and PurePosixPath(path).suffix.lower() in _LISTS


_INDEX = "index.html"  # Brightspace's own list of what is in the archive


def _without_outer_folders(entries: Sequence[Entry], source: Source) -> tuple[str, list[Entry]]:
    """Return the folder around everything, such as the one that was zipped, and the files relative to it."""
    outer_folder = PurePosixPath()
    lists: list[Entry] = []
    while entries:
        if any("/" in entry.path for entry in entries):
            beside = {
                entry.path
                for entry in entries
                if is_list(entry.path) and not _names_student(PurePosixPath(entry.path).stem, source)
            }
            lists += [entry for entry in entries if entry.path in beside]
            entries = [entry for entry in entries if entry.path not in beside]
        first_names = {entry.path.partition("/")[0] for entry in entries}
        name = next(iter(first_names))
        in_scheme = any(pattern.fullmatch(name) for pattern in (_MOODLE, _BRIGHTSPACE, _GRADESCOPE, _SAKAI_ANONYMOUS))
        if len(first_names) > 1 or in_scheme or not all("/" in entry.path for entry in entries):
            break
        below = [replace(entry, path=entry.path.partition("/")[2]) for entry in entries]
        own_name = not _without_words(name, source.own_names)
        if _names_student(name, source) or (not own_name and _is_one_hand_in(below, source)):
            break
        if _names_group(name, source) and not any(
            _names_student(entry.path.partition("/")[0], source) for entry in below
        ):
            break
        outer_folder /= name
        entries = below
    entries = _without_groups(entries, source)
    return "" if outer_folder == PurePosixPath() else str(outer_folder), [*lists, *entries]


def _without_groups(entries: Sequence[Entry], source: Source) -> list[Entry]:
    """Return the files relative to folders of groups or tutorials, if every folder inside these is a different student's.

    A single folder that names nobody is no evidence: its owner, unknown to the class, may have named its content after others.
    """
    split_paths = [entry.path.split("/", 2) for entry in entries]
    groups = {parts[0] for parts in split_paths}
    students = {tuple(parts[:2]) for parts in split_paths}
    if (
        len(groups) > 1
        and all(len(parts) > 2 for parts in split_paths)
        and len({student for _, student in students}) == len(students)
        and not any(_names_student(group, source) for group in groups)
        and all(_names_student(student, source) for _, student in students)
    ):
        return [replace(entry, path="/".join(parts[1:])) for entry, parts in zip(entries, split_paths, strict=True)]
    return list(entries)


def _names_student(name: str, source: Source) -> bool:
    """Return whether a folder or file is named after a student of the class, in any of the schemes for such names."""
    exchanged = _EXCHANGE.fullmatch(name)
    return (
        any(map(source.is_student, (name, *_plain_names(name, source))))
        or (
            exchanged is not None and exchanged["assignment"] in source.own_names and source.is_student(exchanged["id"])
        )
        or _name_and_login(name, source) is not None
    )


def _names_group(name: str, source: Source) -> bool:
    """Return whether a folder is named after a group that hands in together, or in Sakai's scheme for groups."""
    folder = _SAKAI_FOLDER.fullmatch(name)
    together = folder is not None and len(_sakai_submitters(folder, source)) > 1
    return source.is_group(name) or together or (folder is not None and source.is_group(folder["name"]))


def _is_one_hand_in(entries: Sequence[Entry], source: Source) -> bool:
    """Return whether the assignment's notebook is at the top or in the assignment's folder, and nothing names a student."""
    split_paths = [entry.path.split("/") for entry in entries]
    tops = [parts[1:] if len(parts) > 1 and parts[0] in source.own_names else parts for parts in split_paths]
    own_notebook = any(
        len(parts) == 1
        and parts[0].lower().endswith(".ipynb")
        and not _without_words(without_copy(PurePosixPath(parts[0]).stem), source.own_names)
        for parts in tops
    )
    names = {parts[0] if len(parts) > 1 else PurePosixPath(parts[0]).stem for parts in (*split_paths, *tops)}
    return own_notebook and not any(_names_student(name, source) for name in names)


def in_folder_of_source(entries: Sequence[Entry], source: Source, name: str) -> list[Entry] | None:
    """Return the files below the archive's own name if they are one hand-in that only this name identifies; else None."""
    if source.platform in ("", PLAIN) and _is_one_hand_in(entries, source) and _names_student(name, source):
        return [replace(entry, path=f"{name}/{entry.path}") for entry in entries]
    return None


def _for_groups(entries: Sequence[Entry]) -> bool:
    """Return whether Moodle has put the names of groups before those of students, which it does for all or none."""
    names = {match["name"] for entry in entries if (match := _MOODLE.fullmatch(entry.path.partition("/")[0]))}
    return len(names) > 1 and all("-" in name for name in names)


def _is_blind(entries: Sequence[Entry]) -> bool:
    """Return whether Moodle hides the students' names: all are called "Participant", in the site's language."""
    matches = [match for entry in entries if (match := _MOODLE.fullmatch(entry.path.partition("/")[0]))]
    return len({match["name"] for match in matches}) == 1 and len({match["id"] for match in matches}) > 1


def _moodle(entry: Entry, for_groups: bool, blind: bool, source: Source) -> SubmittedFile | None:
    first, _, below = entry.path.partition("/")
    match = _MOODLE.fullmatch(first)
    if match is None:
        return None
    inside = below or match["rest"] or PurePosixPath(entry.path).name
    # A group's name stands before the student's, with a hyphen; either may hold hyphens itself.
    parts = match["name"].split("-")
    names = tuple("-".join(parts[place:]) for place in range(len(parts) if for_groups else 1))
    key = f"Participant {match['id']}" if match["id"] else ""
    ids = (key,) if key and _is_of_participant(key, match["name"], blind, source) else ()
    attempt = f"{match['name']}_{match['id']}"
    hidden = blind and not source.is_student(match["name"])
    return SubmittedFile(entry, (StudentMatch(ids, names),), inside, attempt, anonymous=hidden)


def _is_of_participant(key: str, name: str, blind: bool, source: Source) -> bool:
    """Return whether the number is a participant's: with group submissions it is a group's, perhaps equal to somebody's."""
    sheet_name = letters_and_digits(source.sheet_names.get(key, ""))
    is_group = source.is_group(name) and not source.is_student(name)
    return not is_group and (
        blind or not sheet_name or letters_and_digits(name).endswith(sheet_name) or name == _PARTICIPANT
    )


#: The name of every anonymous student in Moodle's English. In other languages, two students of the same name show it.
_PARTICIPANT = "Participant"


def _canvas(entry: Entry) -> SubmittedFile | None:
    match = _CANVAS.fullmatch(entry.path)
    if match is None:
        return None
    key = match["id"] or match["anonymous"]
    submitter = StudentMatch((f"Canvas {key}",), tuple(filter(None, [match["name"]])))
    return SubmittedFile(
        entry,
        (submitter,),
        match["rest"] or match["typed"],
        key,
        late=bool(match["late"] or match["late_"]),
        anonymous=bool(match["anonymous"]),
    )


def _brightspace(entry: Entry, timezone: tzinfo) -> SubmittedFile | None:
    first, _, below = entry.path.partition("/")
    match = _BRIGHTSPACE.fullmatch(first)
    if match is None:
        return None
    parts = match["rest"].split(" - ")
    # The first part that looks like a time is the platform's; a file may be called like one.
    time_index = next((place for place, text in enumerate(parts) if _TIME.fullmatch(text)), len(parts) if below else 1)
    time_text = parts[time_index] if time_index < len(parts) and _TIME.fullmatch(parts[time_index]) else ""
    file = " - ".join(parts[time_index + bool(time_text) :])
    if not (time_index and (below or file)):
        return None
    names = (" ".join(parts[:time_index]), *parts[:time_index])  # a login may stand before the name
    when = _parse_or_none(time_text, timezone)
    attempt = first if below else first.removesuffix(file)
    return SubmittedFile(entry, (StudentMatch(names, names),), below or file, attempt, when, "" if when else time_text)


def _blackboard(entries: Sequence[Entry], source: Source) -> list[SubmittedFile]:
    """Read the student of each attempt from its receipt: the names do not show where a title ends and a login begins."""
    owners: dict[str, StudentMatch] = {}
    for entry in entries:
        match = _BLACKBOARD.fullmatch(entry.path)
        if match and match["receipt"] and (submitter := _of_receipt(entry, match["title_and_login"])):
            owners.setdefault(match["title_and_login"].casefold(), submitter)
    matches = [_BLACKBOARD.fullmatch(entry.path) for entry in entries]
    titles = sorted({match["title_and_login"] for match in matches if match})
    files = []
    for entry, match in zip(entries, matches, strict=True):
        if match is None:
            files.append(_plain_file(entry, source))
            continue
        attempt = entry.path[: match.end("time")]
        when = _blackboard_time(match["time"], source.timezone)
        title = match["title_and_login"]
        submitter = owners.get(title.casefold()) or _behind_title(title, titles, source)
        submitter = submitter or StudentMatch((), (f"{title}, without its receipt",))
        files.append(
            SubmittedFile(
                entry, (submitter,), match["rest"] or "receipt.txt", attempt, when, "" if when else match["time"]
            )
        )
    return files


def _behind_title(title_and_login: str, of_all: Sequence[str], source: Source) -> StudentMatch | None:
    """Return the student of an attempt without a receipt: the text after the title common to all, if only one student fits."""
    same = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*of_all, strict=False))
    ends = [place + 1 for place, letters in enumerate(same) if letters[0] == "_"] if len(of_all) > 1 else []
    logins = [login for end in ends if source.is_student(login := title_and_login[end:])]
    groups = [name for end in ends if source.is_group(name := title_and_login[end:])]
    if len(logins) == 1:
        return StudentMatch((logins[0].casefold(),), (logins[0],))
    return StudentMatch((), (groups[0],)) if len(groups) == 1 and not logins else None


def _blackboard_time(text: str, timezone: tzinfo) -> datetime | None:
    try:
        return in_utc(datetime.strptime(text, "%Y-%m-%d-%H-%M-%S"), timezone)
    except ValueError:
        return None


def _of_receipt(entry: Entry, title_and_login: str) -> StudentMatch | None:
    """Return the student named in a receipt, if its file is named after the same login."""
    try:
        text = entry.read(_MOST_RECEIPT).decode("utf-8-sig", "replace")
    except UnsafeSubmission:
        return None
    match = _RECEIPT.match(text)
    if match is None or not title_and_login.casefold().endswith(f"_{match['login'].casefold()}"):
        return None
    return StudentMatch((match["login"].casefold(),), (match["name"],) if match["name"] else ())


def _is_of_sakai(entry: Entry) -> bool:
    first, _, below = entry.path.partition("/")
    if not below:
        return first in _SAKAI_LISTS or is_list(entry.path) or _SAKAI_FILE.fullmatch(first) is not None
    folder = _SAKAI_FOLDER.fullmatch(first) or _SAKAI_ANONYMOUS.fullmatch(first)
    return folder is not None and ("/" in below or _is_sakais_own(below))


def _is_sakais_own(below: str) -> bool:
    return below in _SAKAI_OWN or below.endswith("_submissionText.html")


def _sakai(entries: Sequence[Entry], source: Source) -> list[SubmittedFile]:
    """Read the time from the platform's own ``timestamp.txt``: a student's attachments are in a folder beside it."""
    stamps = [entry for entry in entries if entry.path.partition("/")[2] == _SAKAI_TIME]
    times = {entry.path.partition("/")[0]: _sakai_time(entry) for entry in stamps}
    files = []
    for entry in entries:
        first, _, below = entry.path.partition("/")
        match = _SAKAI_FOLDER.fullmatch(first) if below else _SAKAI_FILE.fullmatch(first)
        anonymous = _SAKAI_ANONYMOUS.fullmatch(first) is not None
        if match is None and not anonymous:
            files.append(_plain_file(entry, source))
            continue
        attached, _, inside = below.partition("/")
        if below in _SAKAI_OWN or attached == _SAKAI_FEEDBACK:
            continue
        submitters = (StudentMatch((first,), (first,)),) if match is None else _sakai_submitters(match, source)
        when, text = times.get(first, (None, ""))
        inside = match["rest"] if match and not below else inside if attached == _ATTACHMENTS else below
        attempt = first if below else "loose"
        files.append(SubmittedFile(entry, submitters, inside, attempt, when, "" if when else text, anonymous=anonymous))
    return files


def _sakai_submitters(match: re.Match[str], source: Source) -> tuple[StudentMatch, ...]:
    """Return the student named by ``Lovelace, Ada(alovelace)``, both named by ``…(alovelace); …(amueller)``, or a group."""
    people_text = f"{match['name']}({match['login']})"
    people = [person for person in map(_SAKAI_FOLDER.fullmatch, people_text.split("; ")) if person]
    if people and all(source.is_both(person["name"], person["login"]) for person in people):
        return tuple(StudentMatch((person["login"],), (person["name"],)) for person in people)
    names = (match[0].partition("/")[0], *([match["name"]] if re.fullmatch(_UUID, match["login"]) else []))
    return (StudentMatch((), names),)


_SAKAI_TIME = "timestamp.txt"
_MOST_SAKAI_TIME = 100


def _sakai_time(entry: Entry) -> tuple[datetime | None, str]:
    """Return the time in Sakai's file, and its text. It is in UTC; in older versions, without separators between the digits."""
    try:
        text = entry.read(_MOST_SAKAI_TIME).decode("utf8", "replace").strip()
    except UnsafeSubmission:
        return None, "a file timestamp.txt that is too long, or damaged"
    digits = re.fullmatch(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d{0,3}", text)
    return _parse_or_none("{}-{}-{} {}:{}:{}".format(*digits.groups()) if digits else text, UTC), text


def _openolat(entries: Sequence[Entry], source: Source) -> list[SubmittedFile]:
    """Read the students' submissions and revisions; tasks, corrections and solutions are the teacher's."""
    files = []
    for entry in entries:
        file = _plain_file(entry, source)
        steps = entry.path.split("/")
        if len(steps) < 3:
            files += [file] if len(steps) < 2 or steps[0] != _OPENOLAT_SOLUTIONS else []
        elif (match := _OPENOLAT_STEP.fullmatch(steps[1])) and match["work"]:
            files.append(replace(file, inside="/".join(steps[2:]), attempt="/".join(steps[:2])))
    return files


def _parse_or_none(text: str, timezone: tzinfo) -> datetime | None:
    try:
        return parse_datetime(text, timezone)
    except ValueError:
        return None


def _gradescope(entries: Sequence[Entry], timezone: tzinfo) -> list[SubmittedFile]:
    import yaml

    class Loader(yaml.SafeLoader):
        """A YAML loader that reads objects tagged with a Ruby class as plain data."""

    Loader.add_multi_constructor("!ruby/", _untagged)
    try:
        [metadata] = [entry for entry in entries if entry.path == _METADATA]
        data = yaml.load(metadata.read(_MOST_METADATA), Loader)
        submissions = {str(name): value for name, value in data.items() if isinstance(value, dict)}
    except (yaml.YAMLError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(f"{_METADATA} cannot be read: {error}") from None
    files = []
    for entry in entries:
        if entry is metadata:
            continue
        attempt, _, inside = entry.path.partition("/")
        submission = submissions.get(attempt, {})
        submitters = tuple(_submitter(about) for about in submission.get(":submitters", ()) if isinstance(about, dict))
        when = submission.get(":created_at")
        time = in_utc(when, timezone) if isinstance(when, datetime) else _parse_or_none(str(when), timezone)
        text = "" if time else str(when or "no time")
        files.append(
            SubmittedFile(entry, submitters or (StudentMatch((), (attempt,)),), inside or attempt, attempt, time, text)
        )
    return files


def _untagged(loader: Any, tag: str, node: Any) -> Any:
    make = {"mapping": loader.construct_mapping, "sequence": loader.construct_sequence}.get(node.id)
    return make(node, deep=True) if make else loader.construct_scalar(node)


def _submitter(about: Mapping[str, Any]) -> StudentMatch:
    ids = tuple(str(about[key]) for key in (":sid", ":email") if about.get(key))
    return StudentMatch(ids, (str(about[":name"]),) if about.get(":name") else ())


def _plain_file(entry: Entry, source: Source) -> SubmittedFile:
    """Return a file with the student whom its first folder names, or else its own name without the assignment's."""
    first, _, below = entry.path.partition("/")
    exchanged = _EXCHANGE.fullmatch(first) if below else None
    if exchanged and exchanged["assignment"] in source.own_names:
        when = _parse_or_none(exchanged["time"], UTC)
        submitter = StudentMatch((exchanged["id"],), ())
        return SubmittedFile(entry, (submitter,), below, first, when, "" if when else exchanged["time"])
    name = first if below else PurePosixPath(first).stem
    names = _plain_names(name, source)
    submitter = (_name_and_login(first, source) if below else None) or StudentMatch(names, names)
    steps = below.split("/")
    steps = steps[1:] if len(steps) > 1 and steps[0] in source.own_names else steps
    attempt = name if below else "loose"
    late = False
    if len(steps) > 1 and (steps[0] == _ATTACHMENTS or _VERSION.fullmatch(steps[0])):
        attempt = name if steps[0] == _ATTACHMENTS else f"{name}/{steps[0]}"
        late = steps[0].endswith(_LATE_REVISION)
        steps = steps[1:]
    if len(steps) == 1 and below and (marked := _ILIAS_LATE.fullmatch(steps[0])):
        steps, late = [marked["rest"]], True
    return SubmittedFile(entry, (submitter,), "/".join(steps) or first, attempt, late=late)


def _plain_names(name: str, source: Source) -> tuple[str, ...]:
    """Return the parts of a folder's or file's name that may identify a student: without a copy's number and the assignment."""
    original = without_copy(_SAKAI_GROUP.sub("", name))
    shortened = _COPY_OF.sub("", _without_words(original, source.own_names))
    return tuple(dict.fromkeys(filter(None, (original, shortened, shortened.replace("_", " ").replace(".", " ")))))


#: What is left of ``Ada Lovelace - Copy of attention`` without the assignment.
_COPY_OF = re.compile(r"[-_ ]+(?:copy of|kopie von|copie de|copia de|copia di)$", re.IGNORECASE)


def _title_above_versions(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Return Teams' title of the assignment if all files are in version folders below it; it is then no student's folder."""
    titles = {_title_of(entry) for entry in entries}
    return tuple(filter(None, titles)) if len(titles) == 1 else ()


def _title_of(entry: Entry) -> str:
    """Return Teams' title of the assignment of a file in a version folder, or ""."""
    parts = entry.path.split("/")
    return parts[1] if len(parts) > 3 and _VERSION.fullmatch(parts[2]) else ""


def _without_working_files(entries: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
    """Return the submitted files of Teams' library, and the paths of mere working files.

    Of its two folders, named in the team's language, only the one with submissions contains version folders.
    """
    split_paths = [entry.path.split("/") for entry in entries]
    tops = {parts[0] for parts in split_paths}
    version = {n for n, parts in enumerate(split_paths) if len(parts) > 4 and _TEAMS_VERSION.fullmatch(parts[3])}
    with_versions, without = (
        {split_paths[n][0] for n in some} for some in (version, set(range(len(split_paths))) - version)
    )
    # Both are of the same students and assignments: so they are not two tutorials.
    of_each = [{tuple(parts[1:3]) for parts in split_paths if parts[0] == top} for top in tops]
    if len(tops) != 2 or len(with_versions) != 1 or with_versions & without or not set.intersection(*of_each):
        return list(entries), []
    [submitted] = with_versions
    submitted_entries = [
        replace(entry, path=entry.path.partition("/")[2]) for entry in entries if entry.path.startswith(f"{submitted}/")
    ]
    return submitted_entries, [entry.path for entry in entries if not entry.path.startswith(f"{submitted}/")]


def _without_other_assignments(entries: Sequence[Entry], source: Source) -> tuple[list[Entry], list[str]]:
    """Return the files of this assignment, and the titles of the others in Teams' library.

    Raises ValueError if there are several titles and none matches this assignment.
    """
    titles = {_title_of(entry) for entry in entries}
    if len(titles) < 2 or "" in titles:
        return list(entries), []
    own_titles = {title for title in titles if not _without_words(title, source.own_names)}
    if not own_titles:
        raise ValueError(
            f"The files belong to several assignments: {', '.join(sorted(titles))}. Leave the folders of the others out, or call "
            f"those of this one {source.own_names[0]}."
        )
    return [entry for entry in entries if _title_of(entry) in own_titles], sorted(titles - own_titles)


#: A folder of Teams' attempts, in any language.
_TEAMS_VERSION = re.compile(r"[^\W\d_]+ \d{1,9}")
#: The files of Open edX, without the folder of their unit.
_EDX = re.compile(r"\[(?:\d+|x)\] - (?P<id>[^/]+?) - (?P<rest>[^/]+)")


def _is_of_edx(entries: Sequence[Entry]) -> bool:
    work = [entry.path for entry in entries if entry.path != _EDX_LIST]
    return bool(work) and all(map(_EDX.fullmatch, work))


_EDX_LIST = "submissions.csv"


def _edx(entry: Entry) -> SubmittedFile | None:
    match = _EDX.fullmatch(entry.path)
    return SubmittedFile(entry, (StudentMatch((match["id"],)),), match["rest"], match["id"]) if match else None


#: Of nbgrader's exchange: ``ada+01-attention+2026-10-05 21:30:00 UTC+bXlJZA``.
_EXCHANGE = re.compile(r"(?P<id>[^+/]+)\+(?P<assignment>[^+/]+)\+(?P<time>[^+/]+) UTC(?:\+[^/]*)?")
#: The attempts of Teams and Schoology.
_VERSION = re.compile(r"Version \d{1,9}|Revision \d{1,9} - [^/]+")
_LATE_REVISION = " - Late"
#: ILIAS's mark on a late file, in English and German, without umlauts in older versions.
_ILIAS_LATE = re.compile(r"(?:Late Submission|Versp(?:ae|ä|a)tete Abgabe) - (?P<rest>[^/]+)", re.IGNORECASE)
_NAME_THEN_LOGIN = (re.compile(r"(.+?) ?\(([^()]+)\)"), re.compile(r"(.+) - (\S+)"))


def _name_and_login(folder: str, source: Source) -> StudentMatch | None:
    """Return the student of a folder named by a name and a login (Sakai, ILIAS, OpenOlat), if both belong to the same student.

    ``Lovelace, Ada(alovelace)``, ``Lovelace_Ada_alovelace``, ``Lovelace_Ada_alovelace_4711``, ``Lovelace, Ada - alovelace``.
    """
    pairs = [match.groups() for pattern in _NAME_THEN_LOGIN if (match := pattern.fullmatch(folder))]
    words = folder.split("_")
    words = words[:-1] if words[-1].isdigit() and len(words) > 3 else words
    pairs += [(" ".join(words[:place]), "_".join(words[place:])) for place in range(2, min(len(words), _MOST_WORDS))]
    return next((StudentMatch((login,), (name,)) for name, login in pairs if source.is_both(name, login)), None)


#: Maximum of words of a folder's name that are tried as a student's name.
_MOST_WORDS = 9


def _without_words(name: str, words: Sequence[str]) -> str:
    for word in sorted(words, key=len, reverse=True):
        name = re.sub(rf"(^|[-_ .]+){re.escape(word)}(?=$|[-_ .])", "", name, flags=re.IGNORECASE)
    return name.strip("-_ .")
