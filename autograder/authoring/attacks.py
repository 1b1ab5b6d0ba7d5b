"""Grade hostile submissions as part of a class, and count the points they gained and the neighbours they harmed.

A case is a file: either code that replaces the cell of one exercise in an untouched notebook (``# replaces: softmax``), or a
function ``hand_in(folder, notebook, save)`` that creates the submission. It belongs to the first lesson, or to the one named by
``# assignment:``. ``# may earn: 8`` states the points for partly right work; every point above them counts as gained.

``python -m autograder.authoring.attacks NAME …`` grades only the named cases.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
from joblib import cpu_count

from autograder.authoring.lay_out import folder_of, lay_out
from autograder.content import notebook as notebooks
from autograder.content.lesson import Lesson
from autograder.grading.course import Course, find_course
from autograder.grading.gradebook.queries import committed_scores, database
from autograder.grading.run.batch import Batch, in_threads
from autograder.grading.run.pool import WorkerPool
from autograder.grading.run.status import FAILED, GRADED, Outcome
from autograder.grading.run.store import Store
from autograder.grading.settings import Settings
from autograder.grading.submission.read import HandIn
from autograder.grading.submission.released import released_in
from autograder.sandbox.limits import Limits

#: Where a course keeps its cases.
FOLDER = Path("tests", "sandbox", "attacks", "cases")

#: Code appended to a case in another lesson, by which every exercise calls the case's function.
_BRIDGE = """

def _attack(*arguments):
    import inspect
    function = globals().get({name!r})
    if function is None:
        return arguments[0] if arguments else None
    wanted = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
    return function(*[*arguments, *[torch.zeros(2, 3)] * len(wanted)][:max(1, len(wanted))])
"""
_FUNCTION = "\ndef {name}(*arguments, **options):\n    return _attack(*arguments)\n"
_CLASS = """
class {name}(torch.nn.Module):
    def __init__(self, *arguments, **options):
        super().__init__()

    def forward(self, *arguments, **options):
        return _attack(*arguments)
"""


@dataclass(frozen=True)
class Case:
    """A hostile submission, written for ``lesson``; it can be adapted to any other."""

    path: Path
    lesson: Lesson

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf8")

    @property
    def may_earn(self) -> float:
        return float(self.header("may earn") or 0)

    @property
    def general(self) -> bool:
        """True if the case makes sense in any lesson: it is neither a partly right answer nor tied to another lesson."""
        return self.header("may earn") is None and self.header("assignment") is None

    def header(self, name: str) -> str | None:
        """Return the value of a header line ``# name: ...``, or None."""
        return _header(self.path, name)

    def hand_in(self, lesson: Lesson, place: Path, notebook: dict[str, Any], file: str) -> None:
        """Write the submission for a lesson into the folder ``place``, from the lesson's released notebook."""

        def save(changed: dict[str, Any]) -> None:
            (place / file).write_text(json.dumps(changed), encoding="utf8")

        if self.header("replaces") is None:
            names: dict[str, Callable[..., None]] = {}
            exec(compile(self._renamed(lesson), str(self.path), "exec"), names)
            names["hand_in"](place, notebook, save)
            return
        cells = {notebooks.grade_id(cell): cell for cell in notebook["cells"]}
        for exercise, text in self._answers(lesson).items():
            cells[exercise]["source"] = text  # KeyError for a mistyped name
        save(notebook)

    def _renamed(self, lesson: Lesson) -> str:
        """Return the code with the exercises of its own lesson renamed to those of ``lesson``."""
        targets = lesson.exercises
        new = {exercise: targets[number % len(targets)] for number, exercise in enumerate(self.lesson.exercises)}
        words = "|".join(map(re.escape, new))
        return self.text if lesson == self.lesson else re.sub(rf"\b({words})\b", lambda m: new[m[1]], self.text)

    def _answers(self, lesson: Lesson) -> dict[str, str]:
        """Return the text of each replaced cell; in another lesson, of every exercise, with the case's code in the first."""
        replaced = str(self.header("replaces"))
        if lesson == self.lesson:
            return {replaced: self.text}
        references = lesson.module("references")
        templates = [
            _CLASS if isinstance(getattr(references, name, None), type) else _FUNCTION for name in lesson.exercises
        ]
        answers = {name: template.format(name=name) for name, template in zip(lesson.exercises, templates, strict=True)}
        first = lesson.exercises[0]
        return answers | {first: self.text + _BRIDGE.format(name=replaced) + answers[first]}


def _header(path: Path, name: str) -> str | None:
    line = re.search(rf"^# {name}: (\S+)$", path.read_text(encoding="utf8"), re.MULTILINE)
    return line[1] if line else None


def read_cases(source: Course) -> list[Case]:
    """Return the hostile submissions of a course; empty if it has none."""
    return [
        Case(path, source.lessons.of(_header(path, "assignment") or source.assignments[0]))
        for path in sorted((source.root / FOLDER).glob("*.py"))
    ]


def by_assignment(source: Course, cases: Iterable[Case], elsewhere: Callable[[int], bool]) -> dict[str, list[Case]]:
    """Return the cases to try in each assignment: its own, and the general ones whose number ``elsewhere`` selects."""
    cases = list(cases)
    general = [case for case in cases if case.general]
    groups: dict[str, list[Case]] = {}
    for place, assignment in enumerate(source.assignments):
        own_cases = [case for case in cases if case.lesson.assignment == assignment]
        others = [case for number, case in enumerate(general) if elsewhere(number + place) and case not in own_cases]
        groups[assignment] = own_cases + others
    return groups


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

    def add(self, tally: "Tally") -> None:
        self.tried += tally.tried
        self.gained |= tally.gained
        self.harmed += tally.harmed
        self.traces += tally.traces

    @property
    def good(self) -> bool:
        return self.tried > 0 and not (self.gained or self.harmed or self.traces)

    def __str__(self) -> str:
        lines = [
            f"GAINED: {name} earned {points:g} points that it should not have" for name, points in self.gained.items()
        ]
        lines += [f"HARMED: {harm}" for harm in self.harmed] + [f"LEFT BEHIND: {trace}" for trace in self.traces]
        total = f"{sum(self.gained.values()):g}"
        lines += [
            f"attacks: {self.tried} tried, {total} points gained, {len(self.harmed)} neighbours harmed, "
            f"{len(self.traces)} traces left"
        ]
        return "\n".join(lines)


def make_class(
    source: Course,
    root: Path,
    assignment: str,
    cases: Sequence[Case],
    neighbours: Sequence[str] = NEIGHBOURS,
    gradebook: bool = True,
) -> Course:
    """Create a course in ``root`` with the submissions of all cases and of the honest neighbours, with or without a gradebook."""
    course, lesson = lay_out(source, root, [assignment], release=gradebook), source.lessons.of(assignment)
    solution = source.solution_notebook(assignment)
    built = course.release if gradebook else source.release
    released = (built / assignment / solution.name).read_text(encoding="utf8")
    beside = [solution.parent / name for name in lesson.handed_in]
    for place in [folder_of(course, name, assignment) for name in neighbours]:
        for file in (solution, *beside):
            shutil.copy(file, place)
    for case in cases:
        case.hand_in(lesson, folder_of(course, case.name, assignment), json.loads(released), solution.name)
    return course


def attack(source: Course, command: str) -> Tally:
    """Grade all cases with ``nbgrader autograde`` or ``autograder grade``, and count.

    Each general case is tried in its own lesson and in one other: in all lessons it would take an hour.
    """
    lessons = len(source.assignments)
    total = Tally()
    groups = by_assignment(source, read_cases(source), lambda number: number % max(1, lessons - 1) == 0)
    for done, (assignment, cases) in enumerate(groups.items()):
        print(f"attacks on {command}: {done} of {lessons} lessons", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="attacked-") as name:
            total.add(attack_in(source, Path(name), assignment, cases, command))
    return total


def attack_in(source: Course, root: Path, assignment: str, cases: Sequence[Case], command: str) -> Tally:
    """Create the class in ``root``, grade the assignment there with ``nbgrader`` or ``autograder``, and count points."""
    course = make_class(source, root, assignment, cases)
    before = _surroundings(source, course)
    arguments = {
        "nbgrader": ["nbgrader", "autograde"],
        "autograder": ["autograder", "grade", "--workers", str(MANY)],
    }[command]
    environment = os.environ | {"AUTOGRADER_LIMITS": json.dumps(LIMITS)}
    run = subprocess.run(
        [sys.executable, "-P", "-m", *arguments, assignment],
        cwd=root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    tally = _count(scores_of(course, assignment), source.lessons.of(assignment), cases, NEIGHBOURS)
    if tally.harmed:
        tally.harmed.append(f"the end of the log: {run.stdout.decode(errors='replace')[-1500:]}")
    tally.traces = _traces(before, _surroundings(source, course))
    return tally


#: Seconds in which the processes of a sandbox end after the process that started it.
_ENDED_WITHIN = 10.0


def attack_workers(
    source: Course, root: Path, groups: Mapping[str, Sequence[Case]], workers: int = MANY, gradebook: bool = False
) -> Tally:
    """Grade each assignment's cases in shared grading processes, without neighbours and without writing to a gradebook.

    A separate command for each assignment would spend fifteen seconds of processor time on starting processes. With
    ``gradebook``, each course contains a gradebook as a target for the attacks.
    """
    made = {name: make_class(source, root / name, name, cases, (), gradebook) for name, cases in groups.items()}
    before = {name: _surroundings(source, course) for name, course in made.items()}
    label = f"attacked-{os.getpid()}"
    settings = Settings(limits=replace(Limits(), **LIMITS), lessons=source.lessons, label=label)
    batches = {
        name: Batch(course.grading, released_in(source, name), settings, Store(course.grading))
        for name, course in made.items()
    }

    def graded(task: tuple[str, Case]) -> tuple[str, Outcome]:
        (assignment, case), batch = task, batches[task[0]]
        read = batch.read(HandIn(case.name, batch.grading / "submitted" / case.name / assignment))
        return assignment, read if isinstance(read, Outcome) else batch.outcome(read, pool.grade)

    with WorkerPool(workers) as pool:
        ended = [*in_threads(graded, [(name, case) for name, cases in groups.items() for case in cases], workers)]
    deadline = time.monotonic() + _ENDED_WITHIN
    while (still_running := dict(running(label))) and time.monotonic() < deadline:
        time.sleep(0.1)
    total = Tally(traces=[f"process {number}: {text}" for number, text in still_running.items()])
    for name, cases in groups.items():
        scores = {
            outcome.student: _earned(batches[name].store, outcome)
            for assignment, outcome in ended
            if assignment == name
        }
        tally = _count(scores, source.lessons.of(name), cases, ())
        tally.traces = _traces(before[name], _surroundings(source, made[name]))
        total.add(tally)
    total.harmed += [
        f"{outcome.student} in {name}: {outcome.reason}" for name, outcome in ended if outcome.state == FAILED
    ]
    return total


def _earned(store: Store, outcome: Outcome) -> float:
    result = store.get(outcome.key) if outcome.state == GRADED else None
    return sum(exercise["earned"] for exercise in result.exercises) if result else 0.0


def _traces(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return one line for each difference between two snapshots."""
    return [
        f"{name}: {after.get(name, 'gone')}" for name in sorted(before | after) if before.get(name) != after.get(name)
    ]


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
    committed = committed_scores(database(course), assignment)
    return {student: sum(score or 0.0 for score in record.scores.values()) for student, record in committed.items()}


def _surroundings(source: Course, course: Course) -> dict[str, str]:
    """Return a snapshot of all that submissions must not change: processes, shared folders, libraries, checkout, class files."""
    import torch

    snapshot = {f"process {pid}": text for pid, text in running(course.label)}
    for place in (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path.home()):
        snapshot |= {str(path): "there" for path in place.glob("attack-*")}
    for path in (Path(torch.__file__), Path(torch.nn.functional.__file__), Path(os.__file__)):
        snapshot[str(path)] = str(path.stat().st_mtime_ns)
    for folder in (source.solutions, Path(__file__).parents[1], course.solutions, course.grading / "submitted"):
        for path in sorted(folder.rglob("*")):
            if path.suffix != ".pyc" and path.name != "__pycache__":
                snapshot[str(path)] = str(path.lstat().st_mtime_ns) if not path.is_dir() else "folder"
    return snapshot


def running(label: str) -> Iterator[tuple[str, str]]:
    """Yield (id, command line) of each process in a sandbox with this label."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            text = (
                (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if entry.name.isdigit()
                else ""
            )
            if "autograder.sandbox.inside.zygote" in text and label in text:
                yield entry.name, text[:60]


@click.command(epilog="Example: python -m autograder.authoring.attacks fork_bomb network")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def main(names: tuple[str, ...]) -> None:
    """Grade the named hostile submissions, each in its own lesson.

    Prints the points that they gained and the traces that they left.
    """
    source = find_course()
    cases = {case.name: case for case in read_cases(source)}
    if unknown := [name for name in names if name not in cases]:
        raise click.UsageError(f"Expected names of files in {FOLDER}, got {unknown[0]!r}.")
    groups: dict[str, list[Case]] = {}
    for name in dict.fromkeys(names):
        groups.setdefault(cases[name].lesson.assignment, []).append(cases[name])
    with tempfile.TemporaryDirectory(prefix="attacked-") as folder:
        tally = attack_workers(source, Path(folder), groups, gradebook=True)
    print(tally)
    sys.exit(not tally.good)


if __name__ == "__main__":
    main()
