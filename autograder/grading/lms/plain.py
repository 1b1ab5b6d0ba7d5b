"""Grades as CSV, JSON and JUnit, without a platform's sheet."""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as Xml

from autograder.grading.gradebook.standing import EXCUSED, MISSING, WAITING, ClassStanding, Standing
from autograder.grading.lms.cells import harmless, number, request_text
from autograder.grading.run.result import Result

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


def as_csv(standing: ClassStanding, per_exercise: bool) -> str:
    """Return one row for each student; empty cells where nothing has been decided."""
    file = io.StringIO(newline="")
    titles = [part.title for part in standing.parts] if per_exercise else []
    writer = csv.writer(file)
    writer.writerow([*COLUMNS, *titles])
    for one in standing.students:
        who = one.student
        row = [who.id, who.last_name, who.first_name, who.email, who.section, who.group, standing.assignment, one.state]
        row += ["" if one.total is None else number(one.total), number(one.points)]
        row += ["", "", ""] if one.so_far is None else [number(one.raw), str(one.days_late), number(one.penalty)]
        row += [one.handed_in.isoformat() if one.handed_in else "", one.reason]
        row += ["; ".join(one.outcome.notes if one.outcome else ()), "; ".join(map(request_text, one.requests))]
        earned = {part.title: part.earned for part in one.parts}
        row += ["" if earned[title] is None else number(earned[title] or 0.0) for title in titles]
        writer.writerow(map(harmless, row))
    return file.getvalue()


def as_json(standing: ClassStanding, students: Sequence[Mapping[str, Any]]) -> str:
    """Return everything that is known of the ``students``, as JSON."""
    data = {
        "assignment": standing.assignment,
        "due": standing.due.isoformat() if standing.due else None,
        "possible": standing.points,
        "students": list(students),
    }
    return json.dumps(data, indent=1, ensure_ascii=False)


def as_junit(standing: ClassStanding, found: Mapping[str, Result]) -> str:
    """Return a test suite for each student: what needs a human is an error, what is not there is skipped."""
    root = Xml.Element("testsuites", name=standing.assignment)
    for one in standing.students:
        _suite(root, standing, one, found.get(one.student.id))
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: Xml.Element, standing: ClassStanding, one: Standing, result: Result | None) -> None:
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
