"""A sample class, graded from hand-in to feedback with plain nbgrader commands."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.authoring.sample_class import expected, make_class
from autograder.checks.properties import Pupil
from autograder.content.lesson import Lesson
from autograder.grading.console import progress
from autograder.grading.course import Course, find_course
from autograder.grading.run.status import FAILED, GRADED, HUMAN, load_status
from autograder.sandbox.outside.bubblewrap import problem


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
    """Return the points of all students graded by nbgrader, without questions that are marked by hand."""
    from nbgrader.api import Gradebook

    done = [student for student, outcome in load_status(course.grading, assignment).items() if outcome.state == GRADED]
    with Gradebook(f"sqlite:///{course.grading / 'gradebook.db'}") as gradebook:
        return {
            s.student_id: float(s.score) for s in gradebook.assignment_submissions(assignment) if s.student_id in done
        }


def _print(course: Course, lesson: Lesson, pupils: Sequence[Pupil], notebook: str) -> int:
    table = Table(title=f"{lesson.assignment}: the sample class")
    for title in ("student", "handed in", "points", "expected", "state"):
        table.add_column(title, justify="right" if title in ("points", "expected") else "left")
    ended = {student: outcome.state for student, outcome in load_status(course.grading, lesson.assignment).items()}
    scores, states, as_expected = _scores(course, lesson.assignment), Counter[str](), True
    for pupil in pupils:
        got, want, state = scores.get(pupil.name), expected(lesson, pupil), ended.get(pupil.name, FAILED)
        as_expected &= got == want
        states[state] += 1
        points = ("–" if x is None else f"{x:g}" for x in (got, want))
        table.add_row(pupil.name, pupil.about, *points, state, style=None if got == want else "bold red")
    console = Console(width=110)
    console.print(table)
    page = course.grading / "feedback" / "<student>" / lesson.assignment / f"{notebook}.html"
    for what, path in (
        ("feedback pages", page),
        ("grades", course.grading / "grades.csv"),
        ("log of the nbgrader commands", course.grading / "commands.log"),
    ):
        console.print(f"{what}: {path}", soft_wrap=True, highlight=False)
    print(
        f"demo: {states.total()} submissions, {states[GRADED]} graded, {states[HUMAN]} need a human, "
        f"{states[FAILED]} failed; scores as expected: {'yes' if as_expected else 'no'}"
    )
    return 0 if as_expected else 1
