"""What a regrade would change: whose points, by how much and why."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.course import Course
from autograder.results import Store
from autograder.stage_a import FAILED, GRADED, Outcome
from autograder.stage_b import committed


def plain(text: str) -> Text:
    """Text that a student may have chosen: shown as it is, also where it looks like markup or cannot be printed."""
    return Text(text.encode("utf8", "replace").decode("utf8"))


def show_difference(
    course: Course, assignment: str, seed: int | None, outcomes: Sequence[Outcome], console: Console
) -> int:
    """Print who would change, by how much and why, if the results were written into the gradebook. Nothing is written."""
    store = Store(course.grading, seed)
    table = Table(title=f"{assignment}: what a regrade would change")
    for title in ("student", "exercise", "now", "then", "why"):
        table.add_column(title, justify="right" if title in ("now", "then") else "left")
    changed = 0
    for outcome in outcomes:
        if outcome.state != GRADED:
            continue
        old = store.get(committed(course, assignment, outcome.student))
        new = store.get(outcome.key)
        rows = _changes(old, new)
        changed += bool(rows)
        for row in rows:
            table.add_row(*map(plain, (outcome.student, *row)))
    console.print(table if changed else "Nobody's points would change.")
    print(f"grade --diff: {len(outcomes)} submissions, {changed} would change; nothing was written to the gradebook")
    return 0 if all(o.state != FAILED for o in outcomes) else 1


def _changes(old: dict[str, Any] | None, new: dict[str, Any] | None) -> list[tuple[str, str, str, str]]:
    before, after = (
        {e["name"]: e for e in (result or {}).get("exercises", ())} for result in (old, new)
    )  # an exercise that is only in one of them counts as 0 in the other
    rows = []
    for name in after | before:
        was, will = before.get(name), after.get(name)
        earned = [exercise["earned"] if exercise else 0.0 for exercise in (was, will)]
        if earned[0] != earned[1]:
            rows.append((name, *(f"{points:g}" for points in earned), _why(was, will)))
    return rows


def _why(was: dict[str, Any] | None, will: dict[str, Any] | None) -> str:
    """Return the checks whose points differ."""
    before, after = ({c["name"]: c for c in (exercise or {}).get("checks", ())} for exercise in (was, will))
    told = []
    for name in after | before:
        old, new = before.get(name, {}), after.get(name, {})
        if old.get("earned", 0.0) != new.get("earned", 0.0):
            cause = new.get("cause") or old.get("cause") or ""
            told.append((new or old)["sentence"] + (f" ({cause})" if cause else ""))
    return "; ".join(told) or "not graded before"
