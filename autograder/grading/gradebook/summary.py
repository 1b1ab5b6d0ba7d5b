"""The summary for a teaching assistant after grading a class."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from autograder.grading.console import print_table
from autograder.grading.run.outcome import FAILED, GRADED, HUMAN, Outcome


def counts(handed_in: int, outcomes: Sequence[Outcome]) -> str:
    """Return one line with the number of submissions in each state."""
    states = Counter(o.state for o in outcomes)
    fresh = sum(o.state == GRADED and not o.before for o in outcomes)
    return (
        f"grade: {handed_in} submissions, {states[GRADED]} graded ({fresh} now, {states[GRADED] - fresh} before), "
        f"{states[HUMAN]} need a human, {states[FAILED]} failed here, run again"
    )


def made_again(refused: Sequence[str]) -> str:
    """Return a sentence about the stored results that were not used, given their keys; the empty string if there are none."""
    count = len(set(refused))
    return f"Stored results graded again, because they were damaged or edited: {count}." if count else ""


def print_not_graded(console: Console, assignment: str, outcomes: Sequence[Outcome]) -> None:
    """Print who was not graded, and why."""
    rows = [(o.student, o.state, o.reason) for o in outcomes if o.state != GRADED]
    print_table(console, f"{assignment}: not graded", rows)


def print_summary(
    console: Console,
    assignment: str,
    handed_in: int,
    outcomes: Sequence[Outcome],
    trusted: bool,
    refused: Sequence[str],
) -> int:
    """Print which submissions were not graded and what a person should look at. Returns 0 if each is graded or needs a human."""
    print_not_graded(console, assignment, outcomes)
    looks = [
        (o.student, f"{o.earned:g} of {o.points:g}", "\n".join(o.notes))
        for o in outcomes
        if o.state == GRADED and o.notes
    ]
    print_table(console, f"{assignment}: graded, please look", looks, ("student", "points", "why"))
    if refused:
        print(made_again(refused))
    if trusted:
        print("Not sealed: these submissions were graded without a sandbox, and every result says so.")
    print(counts(handed_in, outcomes))
    ended = sum(o.state in (GRADED, HUMAN, FAILED) for o in outcomes)
    if ended != handed_in:
        print(f"grade: the counts do not add up: {ended} of {handed_in}. Please report this.")
    return 0 if ended == handed_in and not any(o.state == FAILED for o in outcomes) else 1
