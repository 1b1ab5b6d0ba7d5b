"""Grade hostile submissions as part of a class, and count the points they gained and the neighbours they harmed."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from joblib import cpu_count

from autograder.authoring.hostile import Case, by_assignment, read
from autograder.authoring.lay_out import folder_of, lay_out
from autograder.content.lesson import Lesson
from autograder.grading.course import Course
from autograder.grading.gradebook.state import committed_scores, database

#: Submissions at a time: more than there are cores, because many cases just wait until they are stopped.
MANY = cpu_count() + 1
NEIGHBOURS = ("aa-neighbour", "mm-neighbour", "zz-neighbour")

#: Small limits, so that an endless loop costs seconds. They also apply to the honest students in the same run.
LIMITS = {"request_cpu": 4, "cell_cpu": 2, "idle": 4, "memory": 1500 * 2**20, "stops": 2}


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


def make_class(
    source: Course, root: Path, assignment: str, cases: Sequence[Case], neighbours: Sequence[str] = NEIGHBOURS
) -> Course:
    """Create a course in ``root`` with submissions of every case and of the honest neighbours."""
    course, lesson = lay_out(source, root, [assignment]), source.lessons.of(assignment)
    solution = source.solution_notebook(assignment)
    released = (root / "assignments" / assignment / solution.name).read_text(encoding="utf8")
    beside = [solution.parent / name for name in lesson.handed_in]
    for place in [folder_of(course, name, assignment) for name in neighbours]:
        for file in (solution, *beside):
            shutil.copy(file, place)
    for case in cases:
        case.hand_in(lesson, folder_of(course, case.name, assignment), json.loads(released), solution.name)
    return course


def attack(source: Course, folder: Path, command: str) -> Tally:
    """Grade all cases of a folder with ``nbgrader autograde`` or ``autograder grade``, and count.

    Each general case is tried in its own lesson and in one other: in all lessons it would take an hour.
    """
    lessons = len(source.assignments)
    total = Tally()
    groups = by_assignment(source, read(source, folder), lambda number: number % max(1, lessons - 1) == 0)
    for done, (assignment, cases) in enumerate(groups.items()):
        print(f"attacks on {command}: {done} of {lessons} lessons", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="attacked-") as name:
            total.add(attack_in(source, Path(name), assignment, cases, command))
    return total


def attack_in(
    source: Course,
    root: Path,
    assignment: str,
    cases: Sequence[Case],
    command: str,
    neighbours: Sequence[str] = NEIGHBOURS,
    workers: int = MANY,
) -> Tally:
    """Create the class in ``root``, grade the assignment there, and count. nbgrader's command has no ``workers``."""
    course = make_class(source, root, assignment, cases, neighbours)
    before = _surroundings(source, course)
    arguments = {
        "nbgrader": ["nbgrader", "autograde"],
        "autograder": ["autograder", "grade", "--workers", str(workers)],
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
    tally = _count(scores_of(course, assignment), source.lessons.of(assignment), cases, neighbours)
    after = _surroundings(source, course)
    if tally.harmed:
        tally.harmed.append(f"the end of the log: {done.stdout.decode(errors='replace')[-1500:]}")
    tally.traces = [
        f"{name}: {after.get(name, 'gone')}" for name in sorted(before | after) if before.get(name) != after.get(name)
    ]
    return tally


def _count(scores: dict[str, float], lesson: Lesson, cases: Sequence[Case], neighbours: Sequence[str]) -> Tally:
    tally = Tally(len(cases))
    for case in cases:
        above = scores.get(case.name, 0.0) - case.may_earn
        if above > 0:
            tally.gained[f"{case.name} in {lesson.assignment}"] = above
    full = sum(lesson.points(name) for name in lesson.exercises)
    tally.harmed = [
        f"{name} has {scores.get(name)} of {full:g} points" for name in neighbours if scores.get(name) != full
    ]
    return tally


def scores_of(course: Course, assignment: str) -> dict[str, float]:
    """Return each student's points for the automatically graded cells."""
    found = committed_scores(database(course), assignment)
    return {student: sum(score or 0.0 for score in there.scores.values()) for student, there in found.items()}


def _surroundings(source: Course, course: Course) -> dict[str, str]:
    """Return a snapshot of all that submissions must not change: processes, shared folders, libraries, checkout, class files."""
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
    """Yield the sandboxed processes of this run."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            text = (
                (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if entry.name.isdigit()
                else ""
            )
            if "autograder.sandbox.inside.zygote" in text and run in text:
                yield entry.name, text[:60]
