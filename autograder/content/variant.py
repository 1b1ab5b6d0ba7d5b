"""Exercises whose numbers are each student's own: which they are, and the ``variant`` from which a check draws them again."""

import random
from collections.abc import Callable
from typing import Any

from course_lib import variants

#: What a student reads who has not said who they are.
WHO_ARE_YOU = (
    "The numbers of this exercise are each student's own, and this notebook does not know who you are: "
    'run variants.i_am("your id"), and then the cells that draw them.'
)


def exercises_with_variants(lesson: Any) -> tuple[str, ...]:
    """Return the exercises that the lesson's VARIANTS names. Raises LookupError if one is not in EXERCISES."""
    names = tuple(getattr(lesson.settings, "VARIANTS", ()))
    if unknown := [name for name in names if name not in lesson.exercises]:
        known = ", ".join(lesson.exercises)
        raise LookupError(f"VARIANTS of {lesson.package} names {unknown[0]!r}. Expected some of: {known}.")
    return names


def unknown_student(lesson: Any, exercise: str) -> str:
    """Return the sentence for a student who has not said who they are; empty if that does not matter here."""
    return WHO_ARE_YOU if exercise in exercises_with_variants(lesson) and not variants.student() else ""


def takes_variant(check: Callable[..., Any]) -> bool:
    """Return whether a check draws the student's own numbers."""
    return "variant" in check.__code__.co_varnames[: check.__code__.co_argcount]


def variant_of(check: Callable[..., Any], who: str) -> random.Random:
    """Return what the notebook of this id draws from, for the exercise of a check."""
    return variants.numbers(_exercise(check), who)


def require_variant(check: Callable[..., Any], lesson: Any) -> None:
    """Raise LookupError if VARIANTS does not name the exercise of a check that takes ``variant``."""
    if _exercise(check) not in exercises_with_variants(lesson):
        raise LookupError(
            f"{check.__name__} takes variant, but VARIANTS of {lesson.package} lacks {_exercise(check)!r}."
        )


def _exercise(check: Callable[..., Any]) -> str:
    return next(mark.args[0] for mark in getattr(check, "pytestmark", ()) if mark.name == "exercise")
