"""Grade hostile submissions as part of a class, and count the points they gained and the neighbours they harmed.

A case is a file: either code that replaces the cell of one exercise in an untouched notebook (``# replaces: softmax``), or a
function ``hand_in(folder, notebook, save)`` that creates the submission. It is handed in for the first lesson or for the one
named by ``# assignment:``. ``# may earn: 8`` states the points for partly right work; every point above that counts as gained.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joblib import cpu_count

from autograder.authoring.lay_out import folder_of, lay_out
from autograder.grading.committed import committed_scores, database
from autograder.grading.course import Course
from autograder.judging import notebooks
from autograder.judging.lesson import Lesson

#: Submissions at a time: more than there are cores, because many cases only wait until they are stopped.
MANY = str(cpu_count() + 1)
NEIGHBOURS = ("aa-neighbour", "mm-neighbour", "zz-neighbour")

#: Small, so that an endless loop costs seconds. The honest students in the same run have the same limits.
LIMITS = {"request_cpu": 4, "cell_cpu": 2, "idle": 2, "memory": 1500 * 2**20, "stops": 2}


@dataclass
class Tally:
    """The totals over all cases of a run."""

    tried: int = 0
    gained: dict[str, float] = field(default_factory=dict)
    harmed: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.tried += other.tried
        self.gained |= other.gained
        self.harmed += other.harmed
        self.traces += other.traces

    @property
    def good(self) -> bool:
        return self.tried > 0 and not (self.gained or self.harmed or self.traces)

    def __str__(self) -> str:
        lines = [
            f"GAINED: {name} earned {points:g} points that it should not have" for name, points in self.gained.items()
        ]
        lines += [f"HARMED: {what}" for what in self.harmed] + [f"LEFT BEHIND: {what}" for what in self.traces]
        total = f"{sum(self.gained.values()):g}"
        lines += [
            f"attacks: {self.tried} tried, {total} points gained, {len(self.harmed)} neighbours harmed, "
            f"{len(self.traces)} traces left"
        ]
        return "\n".join(lines)


def cases(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.py"))


def by_assignment(source: Course, files: Iterable[Path]) -> dict[str, list[Path]]:
    """Return the cases of each assignment; a case without one belongs to the first."""
    found: dict[str, list[Path]] = {}
    for path in files:
        found.setdefault(_said(path, "assignment") or source.assignments[0], []).append(path)
    return found


def _said(path: Path, what: str) -> str | None:
    """Return the value of a case's header line ``# what: ...``."""
    line = re.search(rf"^# {what}: (\S+)$", path.read_text(encoding="utf8"), re.MULTILINE)
    return line[1] if line else None


def make_class(source: Course, root: Path, assignment: str, files: list[Path]) -> Course:
    """Create a course in ``root`` in which every case and three honest neighbours, with all their files, have handed in."""
    course = lay_out(source, root, [assignment])
    solution = source.solution_notebook(assignment)
    released = (root / "assignments" / assignment / solution.name).read_text(encoding="utf8")
    honest = [solution, *(solution.with_name(file) for file in source.lessons.of(assignment).handed_in)]
    for name in NEIGHBOURS:
        place = folder_of(course, name, assignment)
        for path in honest:
            shutil.copy(path, place)
    for path in files:
        _hand_in(path, folder_of(course, path.stem, assignment), json.loads(released), solution.name)
    return course


def _hand_in(path: Path, place: Path, notebook: dict[str, Any], name: str) -> None:
    def save(changed: dict[str, Any]) -> None:
        (place / name).write_text(json.dumps(changed), encoding="utf8")

    text = path.read_text(encoding="utf8")
    replaced = _said(path, "replaces")
    if replaced is None:
        names: dict[str, Callable[..., None]] = {}
        exec(compile(text, str(path), "exec"), names)
        names["hand_in"](place, notebook, save)
        return
    [cell] = [cell for cell in notebook["cells"] if notebooks.grade_id(cell) == replaced]  # fails on a mistyped name
    cell["source"] = text
    save(notebook)


def attack(source: Course, folder: Path, command: str) -> Tally:
    """Grade all cases of a folder, one assignment at a time, with ``nbgrader autograde`` or ``autograder grade``, and count."""
    total, groups = Tally(), by_assignment(source, cases(folder)).values()
    for done, files in enumerate(groups):
        print(f"attacks on {command}: {done} of {len(groups)} lessons", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="attacked-") as name:
            total.add(attack_in(source, Path(name), files, command))
    return total


def attack_in(source: Course, root: Path, files: list[Path], command: str) -> Tally:
    """Create the class in ``root`` from cases of one assignment, grade it there, and count."""
    [assignment] = by_assignment(source, files)
    course = make_class(source, root, assignment, files)
    before = _surroundings(source, course)
    arguments = {
        "nbgrader": ["nbgrader", "autograde"],
        "autograder": ["autograder", "grade", "--workers", MANY],
    }[command]
    environment = os.environ | {"AUTOGRADER_LIMITS": json.dumps(LIMITS)}
    done = subprocess.run(
        [sys.executable, "-P", "-m", *arguments, assignment],
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    tally = _count(scores_of(course, assignment), source.lessons.of(assignment), files)
    after = _surroundings(source, course)
    if tally.harmed:
        tally.harmed.append(f"the end of the log: {done.stdout.decode(errors='replace')[-1500:]}")
    tally.traces = [
        f"{name}: {after.get(name, 'gone')}" for name in sorted(before | after) if before.get(name) != after.get(name)
    ]
    return tally


def _count(scores: dict[str, float], lesson: Lesson, files: list[Path]) -> Tally:
    tally = Tally(len(files))
    for path in files:
        above = scores.get(path.stem, 0.0) - float(_said(path, "may earn") or 0)
        if above > 0:
            tally.gained[path.stem] = above
    full = sum(lesson.points(name) for name in lesson.exercises)
    tally.harmed = [
        f"{name} has {scores.get(name)} of {full:g} points" for name in NEIGHBOURS if scores.get(name) != full
    ]
    return tally


def scores_of(course: Course, assignment: str) -> dict[str, float]:
    """Return each student's points for the automatically graded cells."""
    found = committed_scores(database(course), assignment)
    return {student: sum(score or 0.0 for score in there.scores.values()) for student, there in found.items()}


def _surroundings(source: Course, course: Course) -> dict[str, str]:
    """Return what no submission may change: sandbox processes, shared folders, libraries, the checkout, the class's files."""
    import torch

    found = {f"process {pid}": text for pid, text in _processes(course.label)}
    for place in (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path.home()):
        found |= {str(path): "there" for path in place.glob("attack-*")}
    for path in (Path(torch.__file__), Path(torch.nn.functional.__file__), Path(os.__file__)):
        found[str(path)] = str(path.stat().st_mtime_ns)
    for folder in (source.solutions, Path(__file__).parents[1], course.solutions, course.grading / "submitted"):
        for path in sorted(folder.rglob("*")):
            if path.suffix != ".pyc" and path.name != "__pycache__":
                found[str(path)] = str(path.lstat().st_mtime_ns) if not path.is_dir() else "folder"
    return found


def _processes(run: str) -> Iterator[tuple[str, str]]:
    """Yield the processes of the sandboxes of this run."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            text = (
                (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if entry.name.isdigit()
                else ""
            )
            if "autograder.sandbox.inside.zygote" in text and run in text:
                yield entry.name, text[:60]
