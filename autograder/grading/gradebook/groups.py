"""Groups hand in once: what one member handed in is graded for all."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from autograder.grading.submission.hand_ins import HandIn

_LONGEST_STAMP = 200


def shared(found: Sequence[HandIn], groups: Mapping[str, Sequence[str]]) -> list[HandIn]:
    """Return the hand-ins with one for each member of a group: the latest that any of them handed in.

    Where several handed in different folders, a note says whose counts.
    """
    by_student = {one.student: one for one in found}
    for name, members in groups.items():
        own = [by_student[member] for member in members if member in by_student]
        if not own:
            continue
        latest = max(own, key=lambda one: (not one.problem, handed_in_at(one.folder)))
        others = [one.student for one in own if one is not latest]
        note = f"group {name}: graded the hand-in of {latest.student}, which is later than that of {', '.join(others)}"
        for member in members:
            told = note if others else latest.note
            by_student[member] = replace(latest, student=member, note=told, by=latest.author)
    return sorted(by_student.values(), key=lambda one: one.student)


def handed_in_at(folder: Path) -> datetime:
    """Return when a folder was handed in: by its time stamp, or else by its files."""
    from nbgrader.utils import parse_utc

    stamp = folder / "timestamp.txt"
    try:
        if stamp.is_file() and not stamp.is_symlink() and stamp.stat().st_size <= _LONGEST_STAMP:
            return parse_utc(stamp.read_text(encoding="utf8").strip()).replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError, TypeError):
        pass  # the files tell it then
    try:
        times = [path.lstat().st_mtime for path in (folder, *folder.iterdir())]
    except OSError:
        return datetime.fromtimestamp(0, UTC)
    return datetime.fromtimestamp(max(times), UTC)
