"""The effect of a regrade: whose points would change, by how much and why."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from autograder.grading.console import plain
from autograder.grading.course import Course
from autograder.grading.gradebook.state import committed_key
from autograder.grading.gradebook.summary import print_not_graded
from autograder.grading.run.outcome import FAILED, GRADED, Outcome
from autograder.grading.run.result import Result
from autograder.grading.run.store import Store
from autograder.grading.submission.released import Released


def show_difference(
    course: Course, released: Released, store: Store, outcomes: Sequence[Outcome], console: Console
) -> int:
    """Print who would change, by how much and why, if the results were written into the gradebook. Nothing is written."""
    table = Table(title=f"{released.assignment}: what a regrade would change")
    for title in ("student", "exercise", "now", "then", "why"):
        table.add_column(title, justify="right" if title in ("now", "then") else "left")
    changed = 0
    for outcome in sorted(outcomes, key=lambda o: o.student):
        if outcome.state != GRADED:
            continue
        old = store.get(key) if (key := committed_key(course, released, outcome.student)) else None
        rows = changes(old, store.get(outcome.key))
        changed += bool(rows)
        for row in rows:
            table.add_row(*map(plain, (outcome.student, *row)))
    print_not_graded(console, released.assignment, outcomes)
    console.print(table if changed else "Nobody's points would change.")
    print(f"grade --diff: {len(outcomes)} submissions, {changed} would change; nothing was written to the gradebook")
    return 0 if all(o.state != FAILED for o in outcomes) else 1


def changes(old: Result | None, new: Result | None) -> list[tuple[str, str, str, str]]:
    """Return (exercise, points now, points then, why); an exercise that is missing on one side counts as 0 there."""
    before, after = ({e["name"]: e for e in (result.exercises if result else ())} for result in (old, new))
    rows = []
    for name in after | before:
        was, will = before.get(name), after.get(name)
        earned = [exercise["earned"] if exercise else 0.0 for exercise in (was, will)]
        if earned[0] != earned[1]:
            rows.append((name, *(f"{points:g}" for points in earned), _why(was, will)))
    return rows


def _why(was: Mapping[str, Any] | None, will: Mapping[str, Any] | None) -> str:
    """Return the checks whose points differ."""
    before, after = ({c["name"]: c for c in (exercise or {}).get("checks", ())} for exercise in (was, will))
    told = []
    for name in after | before:
        old, new = before.get(name, {}), after.get(name, {})
        if old.get("earned", 0.0) != new.get("earned", 0.0):
            cause = new.get("cause") or old.get("cause") or ""
            told.append((new or old)["sentence"] + (f" ({cause})" if cause else ""))
    return "; ".join(told) or "not graded before"
