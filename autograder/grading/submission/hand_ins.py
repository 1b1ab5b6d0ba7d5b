"""The locations of an assignment's hand-ins, one per student."""

import os
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class HandIn:
    """The location of a student's work, perhaps in the folder of another member of a group.

    ``problem`` says why it cannot be read, if so, and ``note`` what a person should look at. ``by`` is that other member.
    """

    student: str
    folder: Path
    problem: str = ""
    note: str = ""
    by: str = ""

    @property
    def author(self) -> str:
        """Whose folder it is, and so whose own numbers the notebook has."""
        return self.by or self.student


def hand_ins(submitted: Path, assignment: str, roster: Sequence[str]) -> list[HandIn]:
    """Return the hand-ins of an assignment, one per student, sorted by student.

    A student's id is the folder's name. Ids that differ only in their Unicode normal form (NFC or NFD) are the same,
    and are written as in the ``roster``.
    """
    known = {normal(student): student for student in roster}
    found: dict[str, list[Path]] = {}
    for place in sorted(submitted.glob("*")):
        if not place.name.startswith("."):
            student = normal(os.fsencode(place.name).decode("utf8", "replace"))
            found.setdefault(known.get(student, student), []).append(place)
    every = []
    for student, places in found.items():
        try:
            every += _hand_in(student, places, assignment)
        except OSError as error:
            every.append(HandIn(student, places[0], f"its folder cannot be opened ({error.strerror})"))
    return sorted(every, key=lambda one: one.student)


def _hand_in(student: str, places: Sequence[Path], assignment: str) -> list[HandIn]:
    """Return the hand-in in a student's folders; empty if there is nothing for this assignment."""
    having = [place / assignment for place in places if place.is_dir() and _is_there(place / assignment)]
    if len(having) > 1:
        told = " and ".join(repr(folder.parent.name) for folder in having)
        return [HandIn(student, having[0], f"there are two folders of this student, {told}: keep one")]
    if having and "\N{REPLACEMENT CHARACTER}" in student:
        return [HandIn(student, having[0], "the name of the student's folder is not UTF-8: rename the folder")]
    if having:
        return [HandIn(student, having[0])]
    for place in places:
        inside = list(place.iterdir()) if place.is_dir() else [place]
        if alike := [path for path in inside if _loosely(path.name) == _loosely(assignment)]:
            told = f"the folder is called {alike[0].name!r}: rename it to {assignment!r}"
            return [HandIn(student, alike[0], told)]
        if loose := [path for path in inside if path.suffix.lower() in (".ipynb", ".zip") and path.is_file()]:
            told = f"{loose[0].name!r} lies where a folder {student}/{assignment} was expected: move it there"
            return [HandIn(student, place, told)]
    return []


def _is_there(path: Path) -> bool:
    """Return whether the path exists, including as a broken link."""
    return path.is_symlink() or path.exists()


def normal(student: str) -> str:
    """Return a student's id in the Unicode normal form in which ids are compared."""
    return unicodedata.normalize("NFC", student)


def _loosely(text: str) -> str:
    return "".join(letter for letter in normal(text).casefold() if letter.isalnum())
