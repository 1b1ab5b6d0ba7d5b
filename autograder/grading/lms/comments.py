"""The comment that a student reads beside the points on a platform."""

from html import escape

from autograder.grading.gradebook.standing import Standing
from autograder.grading.lms.cells import harmless, number, request_text


def summary(standing: Standing, html: bool = False) -> str:
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
