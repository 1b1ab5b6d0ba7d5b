"""In Gradescope's container: grade ``submission/`` and write ``results/results.json``. ``python -m …container /autograder``."""

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from autograder.grading.console import readable
from autograder.grading.course import Course
from autograder.grading.gradebook.status import GradeStatus, Part, points_and_possible, ungraded_parts
from autograder.grading.gradescope.zip_file import Settings, read_settings
from autograder.grading.lms.grades import gradescope
from autograder.grading.roster.datetimes import parse_datetime
from autograder.grading.roster.roster import Student
from autograder.grading.run.pool import GradingJob, ManualReviewNeeded, WorkerCrashed, WorkerPool
from autograder.grading.run.result import Result, scale_points
from autograder.grading.run.status import GRADED, HUMAN, Outcome
from autograder.grading.run.store import SECRET, Store, write_whole
from autograder.grading.settings import Settings as Grading
from autograder.grading.submission.model import from_folder
from autograder.grading.submission.released import Released, released_in
from autograder.sandbox.outside.bubblewrap import problem

_REFUSED = (
    "NOT GRADED. This container does not let bubblewrap make the namespaces in which students' code is sealed, and this "
    "autograder was not built for trusted use. Nobody has lost points: a person grades this work on another machine, or the "
    "teacher builds the zip with --trusted, which lets a hostile notebook write its own results. bubblewrap said: "
)


def main(root: str) -> None:
    """Grade, and write the results in any case: without results, Gradescope shows only that the autograder failed."""
    place = Path(root)
    course = Course(place / "source")
    data = results(course, place / "submission", _metadata(place / "submission_metadata.json"))
    write_whole(place / "results" / "results.json", json.dumps(data, indent=1, ensure_ascii=False))
    (place / "results" / "results.json").chmod(0o644)
    print(data["output"])


def _metadata(path: Path) -> Mapping[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf8"))
        return data if isinstance(data, dict) else {}
    except (OSError, ValueError):
        return {}


def results(course: Course, submission: Path, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of ``results.json``, without points if a person has to look or the code may not run here."""
    settings = read_settings(course.root)
    released = released_in(course, settings.assignment)
    reason = problem() if not settings.trusted else ""
    if reason:
        return _without_points(released, _REFUSED + reason)
    try:
        result = _grade(course, released, submission, settings)
    except (ManualReviewNeeded, WorkerCrashed, ValueError, OSError) as error:
        return _without_points(released, f"needs a human: {readable(str(error))}")
    return gradescope(_grade_status(released, result, settings, about), result, settings.leaderboard)


def _grade(course: Course, released: Released, folder: Path, settings: Settings) -> Result:
    submission = from_folder("submission", folder, released)
    course.grading.mkdir(exist_ok=True)
    if not (course.grading / SECRET).exists():
        write_whole(course.grading / SECRET, settings.secret)
    grading_settings = Grading.from_environment(trust=settings.trusted, lessons=course.lessons, label=course.label)
    seed = Store(course.grading).seed_for(submission, grading_settings)
    with WorkerPool(1) as pool:
        result = pool.grade(GradingJob(submission, seed, grading_settings))
    return replace(result, notes=[*submission.notes, *result.notes])


def _without_points(released: Released, why: str) -> dict[str, Any]:
    state = Outcome("submission", HUMAN, reason=why)
    data = gradescope(GradeStatus(Student("submission"), HUMAN, _automatic(released), outcome=state), None)
    return data | {"tests": [], "output": why}


def _automatic(released: Released) -> tuple[Part, ...]:
    """Return the automatically graded parts. Written questions are marked in Gradescope, by its own rubric."""
    return tuple(part for part in ungraded_parts(released) if released.cells[part.cell].cell_type == "code")


def _grade_status(released: Released, result: Result, settings: Settings, about: Mapping[str, Any]) -> GradeStatus:
    parts = []
    for part in _automatic(released):
        score = result.scores.get(part.cell)
        parts.append(replace(part, earned=0.0 if score is None else scale_points(score, part.points)))
    raw, possible = points_and_possible(parts, settings.optional)
    days, penalty = _lateness(settings, about, raw, possible)
    notes = tuple(map(readable, result.notes))
    outcome = Outcome("submission", GRADED, earned=raw, notes=notes)
    return GradeStatus(
        Student("submission"), GRADED, tuple(parts), raw, penalty, days, outcome=outcome, rule=settings.optional
    )


def _lateness(settings: Settings, about: Mapping[str, Any], earned: float, possible: float) -> tuple[int, float]:
    """Return the days late and the penalty. Free days are ignored: one assignment does not know of the others."""
    if settings.late is None:
        return 0, 0.0
    handed_in = _time(about.get("created_at"))
    due = [when for when in map(_time, _due_dates(about)) if when is not None]
    if handed_in is None or not due:
        return 0, 0.0
    days = settings.late.days(max(timedelta(0), handed_in - max(due)))
    return days, settings.late.penalty(days, earned, possible)


def _due_dates(about: Mapping[str, Any]) -> list[Any]:
    """Return the due dates for this submission: each member's own, with extensions, or else the assignment's."""
    users = about.get("users")
    member_dates = (
        [user.get("assignment", {}).get("due_date") for user in users if isinstance(user, dict)]
        if isinstance(users, list)
        else []
    )
    member_dates = [when for when in member_dates if when]
    assignment = about.get("assignment")
    return member_dates or ([assignment.get("due_date")] if isinstance(assignment, dict) else [])


def _time(text: Any) -> datetime | None:
    try:
        return parse_datetime(str(text), UTC)
    except ValueError:
        return None


if __name__ == "__main__":
    main(sys.argv[1])
