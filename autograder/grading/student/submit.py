"""``autograder hand-in``: pack a student's submission into one file, read it back as grading will, and check it."""

import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.content import notebook as notebooks
from autograder.content.lesson import Lesson, Lessons
from autograder.grading.console import readable, show
from autograder.grading.run.result import Result
from autograder.grading.student.locate_lesson import lesson_of, released_for
from autograder.grading.submission.model import Submission, from_folder
from autograder.grading.submission.read import MOST_BYTES, MOST_NOTEBOOK, original_name
from autograder.notebook.progress import SavedFile, lesson_progress
from autograder.runtime.files import files_in
from course_lib import variants

_WIDTH = 78


@dataclass(frozen=True)
class PackedHandIn:
    """A packed hand-in: the archive, and the sizes of its files in bytes, by name. ``links`` lists the omitted links."""

    lesson: Lesson
    notebook: Path
    archive: Path
    sizes: dict[str, int]
    links: list[str] = field(default_factory=list)


def hand_in(path: Path, grade: Callable[[Submission, Lessons], Result] | None) -> int:
    """Pack a notebook's hand-in; print its content and, with ``grade``, the list of what will be graded. Returns 0."""
    packed = pack(path, run=grade is not None)
    show(contents(packed))
    if grade is not None:
        show("Now the checks run as grading will run them. The file is there already: you may stop this.")
        submission = read_back(packed)
        show(grading_list(packed, submission, grade(submission, packed.lesson.lessons)))
    return 0


def pack(path: Path, run: bool = False) -> PackedHandIn:
    """Write ``<assignment>.zip`` beside a notebook, atomically.

    It contains the notebook, the files that its lesson expects, and the student's own modules. Links are not followed: they may
    lead to somebody else's files. ``run``: as in :func:`lessons_for`. Raises ValueError if the file is not a notebook, is a link,
    or is too large with its other files, and LookupError if the notebook belongs to no lesson.
    """
    if links_to_it := [place for place in (path, *(() if path.is_absolute() else path.parents)) if place.is_symlink()]:
        raise ValueError(
            f"{links_to_it[-1]} is a symbolic link, which is not followed. Name the file itself, or copy it here."
        )
    lesson = lesson_of(path, run)
    released = released_for(path, lesson.assignment, lesson.lessons)
    # Outside a checkout of the course the notebook's name is only known from its file.
    name = original_name(f"{released.notebook}.ipynb")
    files = {name: path.read_bytes()}
    notebooks.parse(files[name], str(path))
    modules = [module.name for module in sorted(path.parent.glob("*.py")) if module.stem != path.stem]
    links = [name for name in (*lesson.handed_in, *modules) if Path(path.parent, name).is_symlink()]
    read = files_in(path.parent)
    names = [name for name in (*lesson.handed_in, *modules) if name not in links]
    files |= {name: data for name in names if (data := read(name)) is not None}
    beside = sum(map(len, files.values())) - len(files[name])
    if len(files[name]) > MOST_NOTEBOOK or beside > MOST_BYTES:
        raise ValueError(
            f"The notebook or its files are too large: expected at most {_size(MOST_NOTEBOOK)} and {_size(MOST_BYTES)}. "
            "Clear the outputs of the notebook (Edit > Clear Outputs of All Cells), save it, and hand in again."
        )
    archive = path.with_name(f"{lesson.assignment}.zip")
    temporary = path.with_name(f".{archive.name}.part")
    temporary.unlink(missing_ok=True)
    try:
        with temporary.open("xb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive_file:
            for name, data in files.items():
                archive_file.writestr(name, data)
        temporary.replace(archive)
    finally:
        temporary.unlink(missing_ok=True)
    return PackedHandIn(lesson, path, archive, {name: len(data) for name, data in files.items()}, links)


def read_back(hand_in: PackedHandIn) -> Submission:
    """Read the archive as grading will."""
    released = released_for(hand_in.notebook, hand_in.lesson.assignment, hand_in.lesson.lessons)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, hand_in.archive.name).write_bytes(hand_in.archive.read_bytes())
        return from_folder("", Path(folder), released, variants.student(hand_in.notebook.parent))


def contents(hand_in: PackedHandIn) -> str:
    """Return one line for each packed file, and for each missing one."""
    lines = [f"{hand_in.archive} holds"]
    lines += [f"  {readable(name):<{_WIDTH - 14}}{_size(size):>12}" for name, size in hand_in.sizes.items()]
    lines += [f"✗ left out: {readable(name)} is a symbolic link; copy the file itself here" for name in hand_in.links]
    absent = [name for name in hand_in.lesson.handed_in if name not in hand_in.sizes]
    lines += [f"✗ missing: {name}{' (optional)' * (name in hand_in.lesson.optional)}" for name in absent]
    return "\n".join(lines)


def grading_list(hand_in: PackedHandIn, submission: Submission, result: Result) -> str:
    """Return a list of the graded parts with their points, the parts marked by hand, and the missing parts."""
    lines = ["What will be graded, by the same checks with different inputs:", *filter(None, [result.whose_numbers])]
    for exercise in result.exercises:
        full = exercise["earned"] == exercise["points"]
        name = exercise["name"] + (" (optional)" if exercise["name"] in hand_in.lesson.optional else "")
        line = f"○ {name}: not written" if _unwritten(exercise) else f"{'✓' if full else '✗'} {name}"
        lines.append(_line(line, exercise["earned"], exercise["points"]))
    lines += [f"✗ {cell} stopped with {readable(error)}" for cell, error in result.errors]
    progress = lesson_progress(hand_in.lesson, SavedFile(submission.cells, hand_in.notebook.parent))
    lines += [f"{'✓' if row.done else '✗'} {row.label}: {row.state}" for row in progress.questions]
    lines += [f"! {readable(note)}" for note in (*submission.notes, *result.notes) if not _is_listed(note)]
    missing = [row.to_do for row in (*progress.questions, *progress.files) if not row.done and not row.optional]
    optional: list[Mapping[str, Any]] = []
    core: list[Mapping[str, Any]] = []
    for exercise in result.exercises:
        (optional if exercise["name"] in hand_in.lesson.optional else core).append(exercise)
    for label, exercises in (("total, without what a person marks", core), ("optional", optional)):
        if exercises:
            earned = sum(exercise["earned"] for exercise in exercises)
            lines.append(_line(label, earned, sum(exercise["points"] for exercise in exercises)))
    incomplete = [exercise for exercise in core if exercise["earned"] != exercise["points"]]
    for verb, unwritten in (("look at", False), ("write", True)):
        if names := [exercise["name"] for exercise in incomplete if _unwritten(exercise) == unwritten]:
            missing.insert(0, f"{verb} {', '.join(names)}")
    lines.append(f"Missing: {'; '.join(missing)}." if missing else "Nothing is missing.")
    return "\n".join([*lines, f"Hand in this one file: {hand_in.archive.resolve()}"])


def _unwritten(exercise: Mapping[str, Any]) -> bool:
    """Return whether the student has not begun an exercise."""
    return exercise["named"] == ["not written yet"]


def _is_listed(note: str) -> bool:
    """Return whether a note only repeats a line of the list."""
    return note.endswith("was not handed in")


def _line(text: str, earned: float, points: float) -> str:
    score = f"{earned:g} of {points:g}"
    return f"{text:<{_WIDTH - len(score)}}{score}"


def _size(size: int) -> str:
    return f"{size / 2**20:.1f} MB" if size >= 2**20 else f"{max(1, round(size / 1024))} kB"
