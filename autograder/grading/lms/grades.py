"""Grades of a class as CSV, JSON, JUnit and Gradescope's format. What is open, missing or excused is never written as 0."""

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

#: Characters with which a cell begins that a spreadsheet takes for a formula, in their plain form: ``＝`` is ``=`` for some.
FORMULA = ("=", "+", "-", "\N{MINUS SIGN}", "@")
#: What a spreadsheet may drop before it looks at a cell: spaces, and characters that nobody sees.
_UNSEEN = re.compile(r"[\s\x00-\x1f\x7f-\xa0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3000\ufeff]*")


def harmless(value: Any) -> Any:
    """Return formula-like text with an apostrophe prepended, the empty string for None, and other values unchanged."""
    if isinstance(value, str):
        first = unicodedata.normalize("NFKC", value[_UNSEEN.match(value).end() :][:1])  # type: ignore[union-attr] # it may be empty
        return "'" + value if first.startswith(FORMULA) or (value[:1] in ("\t", "\r") and value) else value
    return "" if value is None else value


def number(points: float) -> str:
    """Return points with at most two digits after the point, the precision that platforms keep."""
    return f"{round(points, 2):g}" if round(points, 2) < 1e6 else f"{points:.2f}"


def request_text(one: Request) -> str:
    about = f" about {one.exercise}" if one.exercise else ""
    return f"request {one.number}{about}: {one.reason} – {one.answer or 'not yet answered'}"


def summary(standing: GradeStatus, html: bool = False) -> str:
    """Return a student's points by exercise, the penalty and the answers to their requests, on one line."""
    said = [
        f"{part.title} {'not yet marked' if part.earned is None else number(part.earned)} of {number(part.points)}"
        for part in standing.parts
    ]
    if standing.penalty:
        said.append(f"handed in {standing.days_late} days late: −{number(standing.penalty)}")
    said += [f"{part.title}: {' '.join(part.comment.split())}" for part in standing.parts if part.comment]
    said += [request_text(one) for one in standing.requests]
    text = "; ".join(said)
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
#: What XML cannot hold, whatever a student's code prints.
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_csv(standing: ClassStatus, per_exercise: bool, points: Callable[[GradeStatus], float | None]) -> str:
    """Return one row for each student; empty cells where nothing has been decided. ``points`` are a student's in all."""
    file = io.StringIO(newline="")
    titles = [part.title for part in standing.parts] if per_exercise else []
    writer = csv.writer(file)
    writer.writerow([*COLUMNS, *titles])
    for one in standing.students:
        who = one.student
        row = [who.id, who.last_name, who.first_name, who.email, who.section, who.group, standing.assignment, one.state]
        total = points(one)
        row += ["" if total is None else number(total), number(one.points)]
        row += ["", "", ""] if one.so_far is None else [number(one.raw), str(one.days_late), number(one.penalty)]
        row += [one.handed_in.isoformat() if one.handed_in else "", one.reason]
        row += ["; ".join(one.outcome.notes if one.outcome else ()), "; ".join(map(request_text, one.requests))]
        earned = {part.title: part.earned for part in one.parts}
        row += ["" if earned[title] is None else number(earned[title] or 0.0) for title in titles]
        writer.writerow(map(harmless, row))
    return file.getvalue()


def as_json(standing: ClassStatus, students: Sequence[Mapping[str, Any]]) -> str:
    """Return everything that is known of the ``students``, as JSON."""
    data = {
        "assignment": standing.assignment,
        "due": standing.due.isoformat() if standing.due else None,
        "possible": standing.points,
        "students": list(students),
    }
    return json.dumps(data, indent=1, ensure_ascii=False)


def as_junit(standing: ClassStatus, found: Mapping[str, Result]) -> str:
    """Return a test suite for each student: what needs a human is an error, what is not there is skipped."""
    root = Xml.Element("testsuites", name=standing.assignment)
    for one in standing.students:
        _suite(root, standing, one, found.get(one.student.id))
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: Xml.Element, standing: ClassStatus, one: GradeStatus, result: Result | None) -> None:
    suite = Xml.SubElement(root, "testsuite", name=_text(f"{standing.assignment}.{one.student.id}"))
    tests = failures = errors = skipped = 0
    if one.so_far is None:
        case = Xml.SubElement(suite, "testcase", classname=standing.assignment, name="hand-in")
        gone = one.state in (MISSING, EXCUSED, WAITING)
        kind = Xml.SubElement(case, "skipped" if gone else "error", message=_text(one.reason or one.state))
        kind.text = one.state
        tests, skipped, errors = 1, int(gone), int(not gone)
    for exercise in result.exercises if result else ():
        for check in exercise["checks"]:
            case = Xml.SubElement(suite, "testcase", classname=_text(exercise["name"]), name=_text(check["sentence"]))
            tests += 1
            if check["earned"] < check["points"]:
                cause = check["cause"] or "no cause was recognised"
                failure = Xml.SubElement(case, "failure", message=_text(cause))
                failure.text = _text(check["failure"])
                failures += 1
    for part in one.parts:
        if one.so_far is not None and part.earned is None:
            case = Xml.SubElement(suite, "testcase", classname="written", name=_text(part.title))
            Xml.SubElement(case, "skipped", message="not yet marked")
            tests, skipped = tests + 1, skipped + 1
    counts = {"tests": tests, "failures": failures, "errors": errors, "skipped": skipped}
    suite.attrib |= {name: str(count) for name, count in counts.items()}


def _text(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def results(course: Course, standing: ClassStatus) -> dict[str, Result]:
    """Return the stored result of each graded student."""
    store = Store(course.grading)
    found = {}
    for one in standing.students:
        if one.so_far is not None and one.outcome is not None and (result := store.get(one.outcome.key)) is not None:
            found[one.student.id] = result
    return found


def as_data(one: GradeStatus, result: Result | None, points: float | None) -> dict[str, Any]:
    """Return one student's standing, with these ``points`` in all, as plain data."""
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
        "points": points,
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


def gradescope(one: GradeStatus, result: Result | None, leaderboard: bool = False) -> dict[str, Any]:
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


def _headline(one: GradeStatus) -> str:
    if one.so_far is None:
        return f"{one.state}{': ' if one.reason else ''}{one.reason}"
    late = f"; {one.days_late} days late: −{number(one.penalty)} points" if one.penalty else ""
    return f"{number(one.so_far)} of {number(one.points)} points ({one.state}){late}"
