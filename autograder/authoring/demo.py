"""A sample class, graded from hand-in to feedback with plain nbgrader commands."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.authoring.lay_out import NBGRADER_CONFIG, folder_of, lay_out
from autograder.content import notebook as notebooks
from autograder.content.known_answers import Pupil, cases_of
from autograder.content.lesson import Lesson
from autograder.grading.console import progress
from autograder.grading.course import Course, find_course
from autograder.grading.gradebook.queries import database
from autograder.grading.run.status import FAILED, GRADED, HUMAN, load_status
from autograder.sandbox.outside.bubblewrap import problem

_MARKER = "made-by-autograder-demo"


def sample_lesson(source: Course) -> Lesson:
    """Return the first lesson of a course with a sample class. Raises LookupError if none has one."""
    lessons = [
        lesson for name in source.assignments if (lesson := source.lessons.find(name)) and lesson.has("sample_class")
    ]
    if not lessons:
        raise LookupError("No lesson of this course has a sample_class.py, which says who hands in what.")
    return lessons[0]


def pupils(lesson: Lesson, students: Sequence[str] = ()) -> Sequence[Pupil]:
    """Return the sample class, or only the named ``students``. Raises LookupError if one of them is not in it."""
    everyone: dict[str, Pupil] = {pupil.name: pupil for pupil in lesson.module("sample_class").CLASS}
    if unknown := [name for name in students if name not in everyone]:
        raise LookupError(f"There is no {unknown[0]!r} in the sample class. Expected one of: {', '.join(everyone)}.")
    return [everyone[name] for name in students or everyone]


def expected(lesson: Lesson, pupil: Pupil) -> float | None:
    """Return the points that a submission should earn, or None if it needs a person."""
    if pupil.kind in ("missing", "corrupt"):
        return None
    if pupil.kind == "release":
        return 0.0
    return sum(lesson.points(name) for name in lesson.exercises) - sum(pupil.lost.values())


def make_class(
    source: Course, root: Path, trust: bool, students: Sequence[str] = ()
) -> tuple[Course, Lesson, Sequence[Pupil]]:
    """Create a course with the submissions of the class in a folder. An earlier demo in the folder is removed.

    Returns the course, the lesson, and the class: all pupils, or those ``students``.
    """
    if root.exists() and any(root.iterdir()) and not (root / _MARKER).exists():
        raise ValueError(
            f"{root} exists and was not made by an earlier demo. Choose another folder with --folder, or remove it."
        )
    lesson = sample_lesson(source)
    chosen = pupils(lesson, students)
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    (root / _MARKER).touch()
    more = "get_config().SealedAutograde.trust_submissions = True\n" if trust else ""
    course = lay_out(source, root, [lesson.assignment], NBGRADER_CONFIG + more, release=False)
    for pupil in chosen:
        _hand_in(course, source, lesson, pupil)
    return course, lesson, chosen


def _hand_in(course: Course, source: Course, lesson: Lesson, pupil: Pupil) -> None:
    place = folder_of(course, pupil.name, lesson.assignment)
    solution = source.solution_notebook(lesson.assignment)
    released = source.release / lesson.assignment / solution.name
    if pupil.kind == "missing":
        (place / "notes.txt").write_text("I could not find my notebook.\n", encoding="utf8")
    elif pupil.kind == "corrupt":
        (place / solution.name).write_bytes(released.read_bytes()[:5000])
    else:
        notebook = notebooks.read(released)
        if pupil.kind != "release":
            _fill_in(notebook, notebooks.read(solution), lesson, pupil)
        (place / solution.name).write_text(json.dumps(notebook), encoding="utf8")


def _fill_in(notebook: dict, solution: dict, lesson: Lesson, pupil: Pupil) -> None:
    """Write the pupil's answers into the released notebook."""
    text_of_case = {str(case): case.text for name in pupil.answers for case in cases_of(lesson, name)}
    answers = {notebooks.grade_id(cell): notebooks.source(cell) for cell in solution["cells"]}
    for cell in notebook["cells"]:
        name = notebooks.grade_id(cell)
        if not cell["metadata"].get("nbgrader", {}).get("solution"):
            continue
        cell["source"] = answers[name] if cell["cell_type"] == "code" else f"An answer by {pupil.name}."
        if name in pupil.answers:
            cell["source"] = text_of_case[f"{lesson.assignment}/{name}/{pupil.answers[name]}"]
        if pupil.kind == "syntax error" and name in pupil.lost:
            cell["source"] = cell["source"].replace("):", ")", 1)


def demo(folder: Path, students: Sequence[str] = ()) -> int:
    """Create the class, or some ``students`` of it, in ``folder``; grade it; print a table.

    Returns 0 if every score is as expected.
    """
    source = find_course()
    missing = problem()
    if missing:  # the sample class is part of the course, and trusted; students' work is not
        print(f"{missing}\nThe sample class is graded without a sandbox, and its pages say so.")
    course, lesson, pupils = make_class(source, folder.resolve(), bool(missing), students)
    number = len(pupils)
    _nbgrader(course, "generate_assignment", lesson.assignment)
    with progress(f"grading {number} submissions with nbgrader", number) as step:
        _nbgrader(course, "autograde", lesson.assignment, step=step)
    unreadable = [pupil for pupil in pupils if expected(lesson, pupil) is None]
    with progress("writing feedback pages", number - len(unreadable)) as step:
        _nbgrader(course, "generate_feedback", lesson.assignment, step=step)
    _nbgrader(course, "export")
    return _print(course, lesson, pupils, source.solution_notebook(lesson.assignment).stem)


#: Matches nbgrader's log lines at the end of a submission.
_DONE = re.compile(r"INFO\] \S+: [\d.]+ of |WARNING\] \S+: (needs|failed)|Writing \d+ bytes to .*\.html")


def _nbgrader(course: Course, *arguments: str, step: Callable[[], None] = lambda: None) -> None:
    """Run an nbgrader command in the course, and call ``step`` after each submission."""
    command = [sys.executable, "-P", "-m", "nbgrader", *arguments]
    with open(course.grading / "commands.log", "a", encoding="utf8") as log:
        log.write(f"\n$ nbgrader {' '.join(arguments)}\n")
        with subprocess.Popen(
            command, cwd=course.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf8"
        ) as process:
            for line in process.stdout or ():
                log.write(line)
                if _DONE.search(line):
                    step()


def _scores(course: Course, assignment: str) -> dict[str, float]:
    """Return each student's points as graded by nbgrader, without the questions that are marked by hand."""
    from nbgrader.api import Gradebook

    graded = [
        student for student, outcome in load_status(course.grading, assignment).items() if outcome.state == GRADED
    ]
    with Gradebook(database(course)) as gradebook:
        return {
            s.student_id: float(s.score) for s in gradebook.assignment_submissions(assignment) if s.student_id in graded
        }


def _print(course: Course, lesson: Lesson, pupils: Sequence[Pupil], notebook: str) -> int:
    table = Table(title=f"{lesson.assignment}: the sample class")
    for title in ("student", "handed in", "points", "expected", "state"):
        table.add_column(title, justify="right" if title in ("points", "expected") else "left")
    state_of = {student: outcome.state for student, outcome in load_status(course.grading, lesson.assignment).items()}
    scores, states, as_expected = _scores(course, lesson.assignment), Counter[str](), True
    for pupil in pupils:
        earned, expected_points = scores.get(pupil.name), expected(lesson, pupil)
        state = state_of.get(pupil.name, FAILED)
        as_expected &= earned == expected_points
        states[state] += 1
        points = ("–" if x is None else f"{x:g}" for x in (earned, expected_points))
        table.add_row(pupil.name, pupil.about, *points, state, style=None if earned == expected_points else "bold red")
    console = Console(width=110)
    console.print(table)
    page = course.grading / "feedback" / "<student>" / lesson.assignment / f"{notebook}.html"
    for label, path in (
        ("feedback pages", page),
        ("grades", course.grading / "grades.csv"),
        ("log of the nbgrader commands", course.grading / "commands.log"),
    ):
        console.print(f"{label}: {path}", soft_wrap=True, highlight=False)
    print(
        f"demo: {states.total()} submissions, {states[GRADED]} graded, {states[HUMAN]} need a human, "
        f"{states[FAILED]} failed; scores as expected: {'yes' if as_expected else 'no'}"
    )
    return 0 if as_expected else 1
