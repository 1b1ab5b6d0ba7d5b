"""The outcome of each submission of a class."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from autograder.grading.committed import worth
from autograder.grading.released import Released
from autograder.grading.result import Result
from autograder.grading.whole_file import write_whole

GRADED, HUMAN, FAILED = "graded", "needs a human", "failed here, run again"


@dataclass(frozen=True)
class Outcome:
    """The outcome of one submission. ``key`` names its result; ``before`` says that an earlier run had made it.

    ``notes`` are what a person should look at although it was graded.
    """

    student: str
    state: str
    key: str = ""
    digest: str = ""
    reason: str = ""
    before: bool = False
    earned: float = 0.0
    points: float = 0.0
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def failed(self, reason: str) -> "Outcome":
        return replace(self, state=FAILED, reason=readable(reason))


_MOST_NOTES, _LONGEST = 8, 400


def readable(text: str) -> str:
    """Return text on one line that is safe to show on a terminal: a student's text may contain control characters."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(shown.encode("utf8", "replace").decode("utf8").split())[:_LONGEST]


def _few(notes: Sequence[str]) -> tuple[str, ...]:
    more = [f"and {len(notes) - _MOST_NOTES} more"] if len(notes) > _MOST_NOTES else []
    return (*map(readable, notes[:_MOST_NOTES]), *more)


def graded(
    student: str, key: str, result: Result, released: Released, notes: Sequence[str], before: bool, seconds: float
) -> Outcome:
    """Return the outcome of a submission that has a result, with its points as the gradebook counts them."""
    of = {name: released.cells[name].points for name in result.scores}
    earned = sum(worth(score, of[name]) for name, score in result.scores.items())
    told = _few([*notes, *result.notes])
    return Outcome(student, GRADED, key, result.digest, "", before, earned, sum(of.values()), told, seconds)


def human(student: str, error: BaseException | str) -> Outcome:
    """Return the outcome of a submission that could not be read."""
    return Outcome(student, HUMAN, reason=readable(str(error)) or type(error).__name__)


def same_as_others(outcomes: Sequence[Outcome], groups: Mapping[str, Sequence[str]] | None = None) -> list[Outcome]:
    """Add a note to the outcomes whose submissions earned points and are identical to another one, outside one's group."""
    group_of = {member: name for name, members in (groups or {}).items() for member in members}
    by_digest: dict[str, list[str]] = {}
    for outcome in outcomes:
        if outcome.state == GRADED and outcome.earned:
            by_digest.setdefault(outcome.digest, []).append(outcome.student)
    noted = []
    for outcome in outcomes:
        own = group_of.get(outcome.student, outcome.student)
        same = by_digest.get(outcome.digest, ()) if outcome.earned else ()
        others = [student for student in same if group_of.get(student, student) != own]
        note = f"the same work as {', '.join(others[:5])}"
        noted.append(replace(outcome, notes=(*outcome.notes, note)) if others else outcome)
    return noted


def _file(grading: Path, assignment: str) -> Path:
    return grading / "outcomes" / f"{assignment}.json"


def remember(grading: Path, assignment: str, outcomes: Sequence[Outcome]) -> None:
    """Record the outcome of these submissions; records of others stay unchanged."""
    from filelock import FileLock

    with FileLock(grading / "outcomes.lock"):
        known = {**recall(grading, assignment)} | {outcome.student: outcome for outcome in outcomes}
        text = json.dumps({student: asdict(outcome) for student, outcome in sorted(known.items())}, indent=1)
        write_whole(_file(grading, assignment), text)


def recall(grading: Path, assignment: str) -> Mapping[str, Outcome]:
    """Return the outcomes of an assignment's submissions, by student; empty if none has been graded."""
    try:
        data = json.loads(_file(grading, assignment).read_text(encoding="utf8"))
        return {student: Outcome(**about | {"notes": tuple(about["notes"])}) for student, about in data.items()}
    except FileNotFoundError:
        return {}
    except (
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
    ):  # of another version, or damaged: the next run rewrites it
        return {}
