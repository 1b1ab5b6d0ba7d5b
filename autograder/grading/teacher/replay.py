"""``autograder replay``: grade one student's work again, with the same seed, and compare."""

import subprocess
import sys

from autograder.grading.console import readable, show
from autograder.grading.course import Course
from autograder.grading.gradebook.queries import released_assignment
from autograder.grading.run.pool import GradingJob, ManualReviewNeeded, WorkerCrashed, WorkerPool
from autograder.grading.run.result import Result
from autograder.grading.run.store import Store
from autograder.grading.settings import Settings
from autograder.grading.submission.model import from_folder
from autograder.grading.teacher.why import StudentResult, hand_in_of, hand_ins_of


def replay(course: Course, record: StudentResult, exercise: str | None, trust: bool = False) -> int:
    """Grade again and print the result. Returns 0 if it equals the stored one, else 1.

    Raises LookupError if there is nothing to grade, and ValueError if the hand-in cannot be read.
    """
    student, assignment = record.status.student.id, record.class_status.assignment
    job = job_of(course, student, assignment, record.result, exercise, trust)
    try:
        with WorkerPool(1) as pool:
            again = pool.grade(job)
    except (ManualReviewNeeded, WorkerCrashed) as error:
        raise LookupError(f"{student}: {error}") from None
    for report in again.exercises:
        show(report["text"])
    show(f"\nseed {again.seed}, {'sealed' if again.sealed else 'not sealed'}")
    if record.result is None:
        show("There is no stored result to compare with.")
        return 1
    if record.result.digest != again.digest:
        show("The hand-in is not the one that was graded: it was changed since.")
    differ = differences(record.result, again)
    for line in differ:
        show(f"not the same: {readable(line)}")
    show("The same result again." if not differ else f"{len(differ)} checks came out differently.")
    return 1 if differ else 0


def job_of(
    course: Course, student: str, assignment: str, stored: Result | None, exercise: str | None, trust: bool
) -> GradingJob:
    """Return the job that grades a hand-in again. Raises LookupError for an unknown exercise."""
    released = released_assignment(course, assignment)
    lesson = course.lessons.find(assignment)
    if exercise is not None and (lesson is None or exercise not in lesson.exercises):
        choices = ", ".join(lesson.exercises) if lesson is not None else "none"
        raise LookupError(f"{assignment} has no exercise {exercise!r}. Expected one of: {choices}.")
    hand_in = hand_in_of(course, student, assignment)
    submission = from_folder(student, hand_in.folder, released, hand_in.author)
    settings = Settings.from_environment(label=course.label, lessons=course.lessons, trust=trust)
    seed = stored.seed if stored is not None else Store(course.grading).seed_for(submission, settings)
    others = sorted({work.author for work in hand_ins_of(course, assignment)}) if submission.author else []
    return GradingJob(submission, seed, settings, None if exercise is None else [exercise], others=others)


def differences(before: Result, after: Result) -> list[str]:
    """Return the checks with different points or causes, for the exercises in both results."""
    then = {report["name"]: report for report in before.exercises}
    lines = []
    for report in after.exercises:
        if report["name"] not in then:
            continue
        was = {check["name"]: check for check in then[report["name"]]["checks"]}
        for check in report["checks"]:
            old = was.get(check["name"], {})
            if (check["earned"], check["cause"]) != (old.get("earned"), old.get("cause")):
                now = f"{check['earned']:g} of {check['points']:g} {check['cause']}".strip()
                earlier = f"{old.get('earned', 0.0):g} {old.get('cause', '')}".strip()
                lines.append(f"{report['name']}: {check['sentence']}: {now} (before: {earlier})")
    return lines


def open_shell(course: Course, student: str, assignment: str) -> int:
    """Run the student's cells in the sandbox, followed by a prompt. Returns the exit status."""
    hand_in_of(course, student, assignment)
    command = [sys.executable, "-P", "-m", "autograder.grading.teacher.sandbox_shell", student, assignment]
    return subprocess.call(command, cwd=course.root)
