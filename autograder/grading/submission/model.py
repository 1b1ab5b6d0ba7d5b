"""A submission: cells with trusted metadata, and files."""

import functools
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from autograder.content import notebook as notebooks
from autograder.content.notebook import Cell, checked_exercise
from autograder.grading.submission import read as folders
from autograder.grading.submission.match import MatchResult, match
from autograder.grading.submission.released import Released
from autograder.runtime.files import files_in
from autograder.runtime.text import quotation


@dataclass(frozen=True)
class Submission:
    """One student's work on one assignment: cells with trusted metadata, and files by name.

    ``notes`` are for a person; they are not graded, and so not part of the ``digest``. ``author`` is the id for the numbers in
    exercises with variants, or empty. It is not part of the digest either, which detects identical work of two students, but of
    the result's key.
    """

    student: str
    assignment: str
    notebook: str
    cells: Sequence[Cell]
    files: Mapping[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    author: str = ""

    @functools.cached_property
    def digest(self) -> str:
        """Return a hash of the graded content: identical submissions have the same digest."""
        files = {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}
        content = [self.assignment, [_content(cell) for cell in self.cells], files]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @property
    def identity(self) -> tuple[str, str]:
        """The identity of the work: its content, and the id for its numbers."""
        return self.digest, self.author

    def pack(self) -> bytes:
        """Return the submission as bytes for :func:`unpack`."""
        names = list(self.files)
        head = {
            "student": self.student,
            "assignment": self.assignment,
            "notebook": self.notebook,
            "author": self.author,
            "cells": list(self.cells),
            "notes": list(self.notes),
            "files": [[name, len(self.files[name])] for name in names],
        }
        text = json.dumps(head).encode()
        return b"".join([len(text).to_bytes(8, "big"), text, *(self.files[name] for name in names)])


def unpack(data: bytes) -> Submission:
    """Return the submission encoded by :meth:`Submission.pack`."""
    size = int.from_bytes(data[:8], "big")
    head = json.loads(data[8 : 8 + size])
    files, at = {}, 8 + size
    for name, length in head.pop("files"):
        files[name] = data[at : at + length]
        at += length
    return Submission(**head | {"files": files, "notes": tuple(head["notes"])})


def _content(cell: Cell) -> list[Any]:
    """Return the parts of a cell that affect the grading; for a grade cell with its own assertions, this includes its points."""
    has_assertions = notebooks.is_check(cell) and checked_exercise(notebooks.source(cell)) is None
    points = cell["metadata"]["nbgrader"].get("points") if has_assertions else None
    return [
        cell["cell_type"],
        notebooks.grade_id(cell),
        notebooks.source(cell),
        notebooks.experiment_mark(cell),
        points,
    ]


def from_folder(student: str, folder: Path, released: Released, author: str = "") -> Submission:
    """Read a hand-in from its folder, which is the student's own unless an ``author`` is given.

    Raises UnsafeSubmission, ValueError or OSError, with the reason, if a person has to look at it.
    """
    if folder.is_symlink() or folder.parent.is_symlink():
        raise folders.UnsafeSubmission(
            "The folder is a symbolic link. Links are not followed; copy the files themselves."
        )
    if not folder.is_dir():
        raise ValueError("there is a file where a folder with a notebook was expected")
    contents = folders.read(folder)
    if not contents.notebooks:
        raise ValueError(f"there is no {released.notebook}.ipynb and no other notebook in the folder{_instead(folder)}")
    name, matched, notes = _choose(contents.notebooks, released)
    files = folders.beside(name, contents.files)
    files, more = folders.with_expected_names(files, released.handed_in)
    lesson = released.lessons.find(released.assignment)
    left_out = {f"{name} was not handed in" for name in (lesson.optional if lesson else ())}
    more = [note for note in more if note not in left_out]
    notes = [*notes, *(() if matched.untouched else more), *_time_stamp(folder / "timestamp.txt")]
    variant_author = _variant_author(author or student, released)
    return Submission(
        student, released.assignment, released.notebook, matched.cells, files, tuple(notes), variant_author
    )


def _variant_author(author: str, released: Released) -> str:
    """Return the id for the student's own numbers; empty in a lesson without variants, so that equal work is graded once."""
    return author if released.variants else ""


def from_notebook(
    path: Path, released: Released, replace: Mapping[str, str] | None = None, author: str = ""
) -> Submission:
    """Read one notebook, with the files that its lesson expects and the modules beside it.

    ``replace`` maps the grade_id of a cell to its new text. ``author`` is the id for the numbers of exercises with variants.
    """
    notebook = notebooks.read(path)
    for cell in notebook["cells"]:
        if isinstance(cell, dict) and notebooks.grade_id(cell) in (replace or {}):
            cell["source"] = (replace or {})[notebooks.grade_id(cell)]
    matched = match(notebook, released)
    names = [*released.handed_in, *(p.name for p in path.parent.glob("*.py"))]
    read = files_in(path.parent)
    files = {name: data for name in names if name != f"{path.stem}.py" and (data := read(name)) is not None}
    return Submission(
        "", released.assignment, released.notebook, matched.cells, files, author=_variant_author(author, released)
    )


def _time_stamp(path: Path) -> list[str]:
    """Return a note if the time stamp cannot be read and is therefore ignored."""
    if not path.exists():
        return []
    from nbgrader.utils import parse_utc

    try:
        with path.open(encoding="utf8") as file:
            parse_utc(file.read(200).strip())
    except (ValueError, OverflowError, OSError, TypeError):
        return ["timestamp.txt cannot be read; the work counts as handed in on time"]
    return []


#: Archives other than zip, which are not opened.
_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".xz", ".bz2", ".zst")


def _instead(folder: Path) -> str:
    """Describe the content of a folder without a notebook, for the error message."""
    names = sorted(
        path.name for path in folder.iterdir() if path.name != "timestamp.txt" and not folders.JUNK.search(path.name)
    )
    some = f", only {', '.join(map(repr, names[:3]))}{' and others' if len(names) > 3 else ''}" if names else ""
    archives = any(name.lower().endswith(_ARCHIVES) for name in names)
    return f"{some}; such an archive is not opened, so unpack it there, or ask for a zip" if archives else some


def _choose(candidates: Mapping[str, bytes], released: Released) -> tuple[str, MatchResult, list[str]]:
    """Return the path of the notebook to grade, with its cells, and notes on the others."""
    expected = f"{released.notebook}.ipynb"
    matches: dict[str, MatchResult] = {}
    problems: dict[str, str] = {}
    for name, data in candidates.items():
        try:
            matches[name] = _matched(name, data, released)
        except (ValueError, RecursionError, TypeError, AttributeError) as error:
            problems[name] = " ".join(str(error).split()) or type(error).__name__
    if not matches:
        raise ValueError("; ".join(f"{quotation(name)}: {reason}" for name, reason in problems.items()))
    chosen = _counting_notebook(matches, expected)
    notes = [f"ignored: {quotation(name)} ({reason[:200]})" for name, reason in problems.items()]
    if others := [name for name in matches if name != chosen]:
        notes.append(f"graded {quotation(chosen)}, and not {', '.join(map(quotation, others))}")
    elif PurePosixPath(chosen).name != expected:
        notes.append(f"the notebook is called {quotation(chosen)}, and not {expected}")
    if matches[chosen].recognised:
        count = len(matches[chosen].recognised)
        notes.append(f"nbgrader's metadata is missing; cells recognised by their content: {count}")
    return chosen, matches[chosen], notes


def _counting_notebook(matches: Mapping[str, MatchResult], expected: str) -> str:
    """Return the notebook that counts: the only one with work in it, or else the one with the expected name."""
    with_work = {name: matched for name, matched in matches.items() if not matched.untouched} or matches
    name_of_content = {
        json.dumps([_content(cell) for cell in m.cells]): name for name, m in sorted(with_work.items(), reverse=True)
    }
    name = (
        expected if expected in with_work else next(iter(name_of_content.values())) if len(name_of_content) == 1 else ""
    )
    if not name:
        why = "it is untouched" if expected in matches else "there is none of that name"
        raise ValueError(
            f"there are several notebooks, {', '.join(sorted(with_work))}, and {expected} does not count: {why}"
        )
    return name


def _matched(name: str, data: bytes, released: Released) -> MatchResult:
    notebook = notebooks.parse(data, name)
    matched = match(notebook, released)
    if not matched.marked and not matched.recognised:
        assignment = notebooks.assignment_in(notebook)
        belongs = f"; it belongs to {assignment}" if assignment not in ("", released.assignment) else ""
        raise ValueError(f"it holds none of the cells of {released.assignment}{belongs}")
    return matched
