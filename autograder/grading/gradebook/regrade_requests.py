"""Regrade requests, each with a reason and an answer. They are stored beside the results and shown in exports."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock

from autograder.grading.course import Course
from autograder.grading.run.store import write_whole

_LONGEST = 2_000


@dataclass(frozen=True)
class Request:
    """A request about one exercise or the whole work, and the ``answer`` once it is decided.

    ``before`` and ``after`` are the points of the whole work at the time of the request and of its answer.
    """

    number: int
    reason: str
    made: str
    exercise: str = ""
    answer: str = ""
    answered: str = ""
    before: float | None = None
    after: float | None = None

    @property
    def open(self) -> bool:
        return not self.answered


def _path(course: Course, assignment: str) -> Path:
    return course.grading / "requests" / f"{assignment}.json"


def requests(course: Course, assignment: str) -> Mapping[str, list[Request]]:
    """Return the requests of an assignment by student. Raises ValueError if the file was damaged."""
    path = _path(course, assignment)
    try:
        data = json.loads(path.read_text(encoding="utf8"))
        return {student: [Request(**about) for about in entries] for student, entries in data.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} cannot be read ({error}). Restore it, or remove it to forget all requests.") from None


def ask(course: Course, assignment: str, student: str, reason: str, exercise: str, before: float | None) -> Request:
    """Add a request. Raises ValueError without a reason."""
    reason = " ".join(reason.split())
    if not reason or len(reason) > _LONGEST:
        raise ValueError(f"Expected a reason of at most {_LONGEST:,} characters: --reason '…'.")
    with FileLock(course.grading / "requests.lock"):
        requests_of = dict(requests(course, assignment))
        number = 1 + max((earlier.number for entries in requests_of.values() for earlier in entries), default=0)
        request = Request(number, reason, _now(), exercise, before=before)
        requests_of[student] = [*requests_of.get(student, ()), request]
        _write(course, assignment, requests_of)
    return request


def answer(
    course: Course, assignment: str, number: int, text: str, points: Mapping[str, float | None]
) -> tuple[str, Request]:
    """Answer a request; return its student and the request. ``points``: those of each student's whole work now.

    Raises LookupError if no open request has this number.
    """
    with FileLock(course.grading / "requests.lock"):
        requests_of = dict(requests(course, assignment))
        numbered = ((student, entry) for student, entries in requests_of.items() for entry in entries)
        student, request = next(((s, entry) for s, entry in numbered if entry.number == number), ("", None))
        if request is None:
            raise LookupError(f"There is no request {number} for {assignment}.")
        if not request.open:
            raise LookupError(f"Request {number} was answered on {request.answered[:10]}: {request.answer}")
        answered = replace(request, answer=" ".join(text.split()), answered=_now(), after=points.get(student))
        requests_of[student][requests_of[student].index(request)] = answered
        _write(course, assignment, requests_of)
        return student, answered


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _write(course: Course, assignment: str, requests_of: Mapping[str, list[Request]]) -> None:
    data = {student: [asdict(request) for request in entries] for student, entries in sorted(requests_of.items())}
    write_whole(_path(course, assignment), json.dumps(data, indent=1, ensure_ascii=False))
