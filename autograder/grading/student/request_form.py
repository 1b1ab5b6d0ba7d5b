"""A student's regrade request as a file: written by ``autograder request-form``, read by ``autograder collect``."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from autograder.content.lesson import Lesson

_MOST_BYTES = 20_000
_SUFFIX = "-request.toml"
#: A platform or a browser may number it.
_NAME = re.compile(r"-request[-_ ]*\(?\d*\)?\.toml$", re.IGNORECASE)

_FORM = '''\
# A request to grade {assignment} again. Fill it in, and hand it in as you handed in your work, alone or beside it.

assignment = "{assignment}"

# What it is about: one of {exercises}. Empty for the whole work.
exercise = ""

# What you think is wrong, and why: the property in the table, the line of your code, what you expected.
reason = """
"""
'''


@dataclass(frozen=True)
class Form:
    """The content of a request form. ``exercise`` is empty if it is about the whole work."""

    exercise: str
    reason: str


def write_form(lesson: Lesson, folder: Path) -> Path:
    """Write an empty form beside a notebook, and return its path. Raises FileExistsError if there is one already."""
    path = folder / f"{lesson.assignment}{_SUFFIX}"
    if path.exists():
        raise FileExistsError(f"{path} is there already: fill it in, or remove it for an empty one.")
    path.write_text(_FORM.format(assignment=lesson.assignment, exercises=", ".join(lesson.exercises)), encoding="utf8")
    return path


def is_form(name: str) -> bool:
    """Return whether a submitted file is, by its name, a regrade request and not part of the work."""
    return _NAME.search(name) is not None


def read_form(data: bytes, assignment: str) -> Form:
    """Return the student's request. Raises ValueError, with the reason, unless the data are a form for this assignment."""
    if len(data) > _MOST_BYTES:
        raise ValueError(f"it has {len(data):,} bytes; expected at most {_MOST_BYTES:,}")
    try:
        filled_in = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no longer in the form in which it was written ({error})") from None
    texts = [filled_in.get(name, "") for name in ("assignment", "exercise", "reason")]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("expected texts in quotation marks for assignment, exercise and reason")
    about, exercise, reason = (" ".join(text.split()) for text in texts)
    if about != assignment:
        raise ValueError(f"it is about {about[:60]!r}, and not about {assignment}")
    if not reason:
        raise ValueError("there is no reason in it")
    return Form(exercise, reason)
