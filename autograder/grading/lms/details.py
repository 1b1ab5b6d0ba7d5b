"""Everything that is known of each student's work: the stored result beside the standing."""

from typing import Any

from autograder.grading.course import Course
from autograder.grading.gradebook.standing import ClassStanding, Standing
from autograder.grading.lms.cells import number
from autograder.grading.run.result import Result
from autograder.grading.run.store import Store


def results(course: Course, standing: ClassStanding) -> dict[str, Result]:
    """Return the stored result of each graded student."""
    store = Store(course.grading)
    found = {}
    for one in standing.students:
        if one.so_far is not None and one.outcome is not None and (result := store.get(one.outcome.key)) is not None:
            found[one.student.id] = result
    return found


def as_data(one: Standing, result: Result | None) -> dict[str, Any]:
    """Return one student's standing as plain data."""
    who = one.student
    return {
        "student": {
            "id": who.id,
            "last_name": who.last_name,
            "first_name": who.first_name,
            "email": who.email,
            "section": who.section,
            "group": who.group,
        },
        "state": one.state,
        "points": one.total,
        "points_before_penalty": None if one.so_far is None else one.raw,
        "penalty": one.penalty,
        "days_late": one.days_late,
        "possible": one.points,
        "handed_in": one.handed_in.isoformat() if one.handed_in else None,
        "reason": one.reason,
        "please_look": list(one.outcome.notes) if one.outcome is not None else [],
        "parts": [
            {
                "name": part.title,
                "points": part.earned,
                "possible": part.points,
                "by_hand": part.by_hand,
                "comment": part.comment,
            }
            for part in one.parts
        ],
        "requests": [vars(request) for request in one.requests],
        "seed": result.seed if result else None,
        "sealed": result.sealed if result else None,
        "exercises": [
            {
                "name": exercise["name"],
                "points": exercise["earned"],
                "possible": exercise["points"],
                "causes": exercise["named"],
                "checks": [
                    {key: check[key] for key in ("sentence", "earned", "points", "failure", "cause")}
                    for check in exercise["checks"]
                ],
            }
            for exercise in (result.exercises if result else ())
        ],
    }


def gradescope(one: Standing, result: Result | None, leaderboard: bool = False) -> dict[str, Any]:
    """Return one student's work as Gradescope's ``results.json``.

    Without points, ``score`` is left out: Gradescope then shows none, and a person can give them.
    """
    tests = []
    by_name = {exercise["name"]: exercise for exercise in (result.exercises if result else ())}
    for part in one.parts:
        exercise = by_name.get(part.title)
        if exercise is None or part.by_hand:
            tests.append(_test(part.title, part.earned, part.points, part.comment or _open(part.earned)))
            continue
        share = part.points / exercise["points"] if exercise["points"] else 1.0
        for check in exercise["checks"]:
            if check["points"]:
                name = f"{part.title}: {check['sentence']}"
                tests.append(_test(name, check["earned"] * share, check["points"] * share, _why(check)))
    data: dict[str, Any] = {"tests": tests, "visibility": "visible", "stdout_visibility": "hidden"}
    data["output"] = "\n".join(filter(None, [_headline(one), *(one.outcome.notes if one.outcome else ())]))
    data["output_format"] = "text"
    if one.so_far is not None:
        data["score"] = one.so_far
    data["max_score"] = one.points
    if leaderboard and one.so_far is not None:
        data["leaderboard"] = [{"name": "points", "value": one.so_far}]
    return data


def _test(name: str, earned: float | None, points: float, output: str) -> dict[str, Any]:
    test: dict[str, Any] = {"name": name, "max_score": round(points, 4), "output": output, "output_format": "text"}
    test["visibility"] = "visible"
    if earned is not None:
        test |= {"score": round(earned, 4), "status": "passed" if earned >= points else "failed"}
    return test


def _open(earned: float | None) -> str:
    return "not yet marked" if earned is None else ""


def _why(check: dict[str, Any]) -> str:
    cause = f"Likely cause: {check['cause']}." if check["cause"] else ""
    return "\n".join(filter(None, [check["failure"], cause]))


def _headline(one: Standing) -> str:
    if one.so_far is None:
        return f"{one.state}{': ' if one.reason else ''}{one.reason}"
    late = f"; {one.days_late} days late: −{number(one.penalty)} points" if one.penalty else ""
    return f"{number(one.so_far)} of {number(one.points)} points ({one.state}){late}"
