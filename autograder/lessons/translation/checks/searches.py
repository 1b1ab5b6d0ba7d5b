"""Reword failures for this lesson: its greedy and beam search share their checks with lesson 06."""

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

from autograder.checks import CheckFailure, Request

WORDS = (
    ("caption of picture", "translation of sentence"),
    ("The captions", "The translations"),
    ("captions", "translations"),
    ("The caption", "The translation"),
    ("caption", "translation"),
    ("Caption", "Translation"),
    ("One picture", "One sentence"),
    ("picture", "sentence"),
    ("the features", "the memory"),
    ("features", "memory"),
)


@contextlib.contextmanager
def worded_as_translation() -> Iterator[None]:
    """In every failure, replace "caption" by "translation" and "picture" by "sentence"."""
    try:
        yield
    except CheckFailure as failure:
        for part in ("message", "expected", "yours", "setting", "cause", "hint"):
            text = getattr(failure, part)
            for theirs, ours in WORDS:
                text = text.replace(theirs, ours)
            setattr(failure, part, text)
        raise


class Renamed:
    """A student whose ``greedy_translate`` is asked for as ``greedy_caption``."""

    names = {"greedy_caption": "greedy_translate"}  # noqa: RUF012

    def __init__(self, student: Any):
        self.student = student

    def __getattr__(self, name: str) -> Any:
        return getattr(self.student, self.names.get(name, name))

    def answer(self, request: Request) -> Any:
        """Pass a request on, under this lesson's name."""
        return self.student.answer(dataclasses.replace(request, name=self.names.get(request.name, request.name)))
