"""Grades of a class as CSV, JSON, JUnit and Gradescope's format. Open, missing and excused work is never written as 0."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any
from xml.etree import ElementTree as Xml

from autograder.grading.course import Course
from autograder.grading.gradebook.regrade_requests import Request
from autograder.grading.gradebook.status import EXCUSED, MISSING, WAITING, ClassStatus, GradeStatus
from autograder.grading.run.result import Result
from autograder.grading.run.store import Store

#: First characters of a cell that a spreadsheet takes for a formula, in their normalised form: some treat ``＝`` as ``=``.
FORMULA = ("=", "+", "-", "\N{MINUS SIGN}", "@")
#: Characters that a spreadsheet may drop before it parses a cell: spaces and invisible characters.
_UNSEEN = re.compile(r"\A[\s\x00-\x1f\x7f-\xa0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3000\ufeff]*")


def harmless(value: Any) -> Any:
    """Return formula-like text with an apostrophe prepended, the empty string for None, and other values unchanged."""
    if isinstance(value, str):
        first = unicodedata.normalize("NFKC", _UNSEEN.sub("", value, count=1)[:1])
        return "'" + value if first.startswith(FORMULA) or value.startswith(("\t", "\r")) else value
    return "" if value is None else value


def number(points: float) -> str:
    """Return points with at most two digits after the point, the precision that platforms keep."""
    return f"{round(points, 2):g}" if round(points, 2) < 1e6 else f"{points:.2f}"


def request_text(request: Request) -> str:
    about = f" about {request.exercise}" if request.exercise else ""
    return f"request {request.number}{about}: {request.reason} – {request.answer or 'not yet answered'}"


def summary(grade: GradeStatus, html: bool = False) -> str:
    """Return a student's points by exercise, the penalty, and the answers to regrade requests, on one line."""
    parts = [
        f"{part.label} {'not yet marked' if part.earned is None else number(part.earned)} of {number(part.points)}"
        for part in grade.parts
    ]
    if grade.penalty:
        parts.append(f"handed in {grade.days_late} days late: −{number(grade.penalty)}")
    parts += [f"{part.title}: {' '.join(part.comment.split())}" for part in grade.parts if part.comment]
    parts += [request_text(request) for request in grade.requests]
    text = "; ".join(parts)
    return harmless(escape(text) if html else text)


COLUMNS = (
    "student_id",
    "last_name",
    "first_name",
    "email",
    "section",
    "group",
    "assignment",
    "state",
    "points",
    "possible",
    "points_before_penalty",
    "days_late",
    "penalty",
    "handed_in",
    "reason",
    "please_look",
    "requests",
)
#: Characters that XML cannot hold, and that a student's code may print.
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_csv(class_status: ClassStatus, per_exercise: bool, points: Callable[[GradeStatus], float | None]) -> str:
    """Return one row for each student, with empty cells for undecided points. ``points`` is the total of a student."""
    file = io.StringIO(newline="")
    titles = [part.title for part in class_status.parts] if per_exercise else []
    writer = csv.writer(file)
    writer.writerow([*COLUMNS, *titles])
    for grade in class_status.students:
        student = grade.student
        row = [
            student.id,
            student.last_name,
            student.first_name,
            student.email,
            student.section,
            student.group,
            class_status.assignment,
            grade.state,
        ]
        total = points(grade)
        row += ["" if total is None else number(total), number(grade.points)]
        row += (
            ["", "", ""] if grade.so_far is None else [number(grade.raw), str(grade.days_late), number(grade.penalty)]
        )
        row += [grade.handed_in.isoformat() if grade.handed_in else "", grade.reason]
        row += ["; ".join(grade.outcome.notes if grade.outcome else ()), "; ".join(map(request_text, grade.requests))]
        earned = {part.title: part.earned for part in grade.parts}
        row += ["" if earned[title] is None else number(earned[title] or 0.0) for title in titles]
        writer.writerow(map(harmless, row))
    return file.getvalue()


def as_json(class_status: ClassStatus, students: Sequence[Mapping[str, Any]]) -> str:
    """Return all data of the ``students`` as JSON."""
    data = {
        "assignment": class_status.assignment,
        "due": class_status.due.isoformat() if class_status.due else None,
        "possible": class_status.points,
        "students": list(students),
    }
    return json.dumps(data, indent=1, ensure_ascii=False)


def as_junit(class_status: ClassStatus, results: Mapping[str, Result]) -> str:
    """Return a test suite for each student. Work that needs a person is an error; missing work is skipped."""
    root = Xml.Element("testsuites", name=class_status.assignment)
    for grade in class_status.students:
        _suite(root, class_status, grade, results.get(grade.student.id))
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: Xml.Element, class_status: ClassStatus, grade: GradeStatus, result: Result | None) -> None:
    suite = Xml.SubElement(root, "testsuite", name=_text(f"{class_status.assignment}.{grade.student.id}"))
    tests = failures = errors = skipped = 0
    if grade.so_far is None:
        case = Xml.SubElement(suite, "testcase", classname=class_status.assignment, name="hand-in")
        skipped_kind = grade.state in (MISSING, EXCUSED, WAITING)
        kind = Xml.SubElement(case, "skipped" if skipped_kind else "error", message=_text(grade.reason or grade.state))
        kind.text = grade.state
        tests, skipped, errors = 1, int(skipped_kind), int(not skipped_kind)
    for exercise in result.exercises if result else ():
        for check in exercise["checks"]:
            case = Xml.SubElement(suite, "testcase", classname=_text(exercise["name"]), name=_text(check["sentence"]))
            tests += 1
            if check["earned"] < check["points"]:
                cause = check["cause"] or "no cause was recognised"
                failure = Xml.SubElement(case, "failure", message=_text(cause))
                failure.text = _text(check["failure"])
                failures += 1
    for part in grade.parts:
        if grade.so_far is not None and part.earned is None:
            case = Xml.SubElement(suite, "testcase", classname="written", name=_text(part.title))
            Xml.SubElement(case, "skipped", message="not yet marked")
            tests, skipped = tests + 1, skipped + 1
    counts = {"tests": tests, "failures": failures, "errors": errors, "skipped": skipped}
    suite.attrib |= {name: str(count) for name, count in counts.items()}


def _text(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def results(course: Course, class_status: ClassStatus) -> dict[str, Result]:
    """Return the stored result of each graded student."""
    store = Store(course.grading)
    results_by_student = {}
    for grade in class_status.students:
        if (
            grade.so_far is not None
            and grade.outcome is not None
            and (result := store.get(grade.outcome.key)) is not None
        ):
            results_by_student[grade.student.id] = result
    return results_by_student


def as_data(grade: GradeStatus, result: Result | None, points: float | None) -> dict[str, Any]:
    """Return one student's status, with these total ``points``, as plain data."""
    student = ("id", "last_name", "first_name", "email", "section", "group")
    return {
        "student": {name: getattr(grade.student, name) for name in student},
        "state": grade.state,
        "points": points,
        "points_before_penalty": None if grade.so_far is None else grade.raw,
        "penalty": grade.penalty,
        "days_late": grade.days_late,
        "possible": grade.points,
        "handed_in": grade.handed_in.isoformat() if grade.handed_in else None,
        "reason": grade.reason,
        "please_look": list(grade.outcome.notes) if grade.outcome is not None else [],
        "parts": [
            {
                "name": part.title,
                "points": part.earned,
                "possible": part.points,
                "optional": part.optional,
                "by_hand": part.by_hand,
                "comment": part.comment,
            }
            for part in grade.parts
        ],
        "requests": [vars(request) for request in grade.requests],
        "seed": result.seed if result else None,
        "sealed": result.sealed if result else None,
        "exercises": [_exercise_data(exercise) for exercise in (result.exercises if result else ())],
    }


def _exercise_data(exercise: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("sentence", "earned", "points", "failure", "cause")
    return {
        "name": exercise["name"],
        "points": exercise["earned"],
        "possible": exercise["points"],
        "causes": exercise["named"],
        "checks": [{key: check[key] for key in keys} for check in exercise["checks"]],
    }


def gradescope(grade: GradeStatus, result: Result | None, leaderboard: bool = False) -> dict[str, Any]:
    """Return one student's work as Gradescope's ``results.json``.

    Without points, ``score`` is omitted: Gradescope then shows none, and a person can enter them.
    """
    tests = []
    by_name = {exercise["name"]: exercise for exercise in (result.exercises if result else ())}
    for part in grade.parts:
        exercise = by_name.get(part.title)
        if exercise is None or part.by_hand:
            tests.append(_test(part.label, part.earned, part.points, part.comment or _unmarked_note(part.earned)))
            continue
        share = part.points / exercise["points"] if exercise["points"] else 1.0
        for check in exercise["checks"]:
            if check["points"]:
                name = f"{part.label}: {check['sentence']}"
                tests.append(_test(name, check["earned"] * share, check["points"] * share, _why(check)))
    data: dict[str, Any] = {"tests": tests, "visibility": "visible", "stdout_visibility": "hidden"}
    data["output"] = "\n".join(filter(None, [_headline(grade), *(grade.outcome.notes if grade.outcome else ())]))
    data["output_format"] = "text"
    if grade.so_far is not None:
        data["score"] = grade.so_far
    data["max_score"] = grade.points
    if leaderboard and grade.so_far is not None:
        data["leaderboard"] = [{"name": "points", "value": grade.so_far}]
    return data


def _test(name: str, earned: float | None, points: float, output: str) -> dict[str, Any]:
    test: dict[str, Any] = {"name": name, "max_score": round(points, 4), "output": output, "output_format": "text"}
    test["visibility"] = "visible"
    if earned is not None:
        test |= {"score": round(earned, 4), "status": "passed" if earned >= points else "failed"}
    return test


def _unmarked_note(earned: float | None) -> str:
    return "not yet marked" if earned is None else ""


def _why(check: dict[str, Any]) -> str:
    cause = f"Likely cause: {check['cause']}." if check["cause"] else ""
    return "\n".join(filter(None, [check["failure"], cause]))


def _headline(grade: GradeStatus) -> str:
    if grade.so_far is None:
        return f"{grade.state}{': ' if grade.reason else ''}{grade.reason}"
    late = f"; {grade.days_late} days late: −{number(grade.penalty)} points" if grade.penalty else ""
    return f"{number(grade.so_far)} of {number(grade.points)} points ({grade.state}){late}"
