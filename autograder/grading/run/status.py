"""The grading status of each submission of a class."""

import contextlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from autograder.grading.console import readable
from autograder.grading.run.result import Result, scale_points
from autograder.grading.run.store import write_whole
from autograder.grading.submission.released import Released

GRADED, HUMAN, FAILED = "graded", "needs a human", "failed here, run again"


@dataclass(frozen=True)
class Outcome:
    """The outcome of one submission. ``key`` identifies its result; ``before`` is True if the result is from an earlier run.

    ``notes`` are for a person to look at, although the submission was graded.
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


_MOST_NOTES = 8

#: The beginning of the note on a submission that is identical to another one.
SAME_WORK = "the same work as"
LATE = "marks it as late, but not by how much"


def _few(notes: Sequence[str]) -> tuple[str, ...]:
    more = [f"and {len(notes) - _MOST_NOTES} more"] if len(notes) > _MOST_NOTES else []
    return (*map(readable, notes[:_MOST_NOTES]), *more)


def graded(
    student: str, key: str, result: Result, released: Released, notes: Sequence[str], before: bool, seconds: float
) -> Outcome:
    """Return the outcome of a submission that has a result, with its points as the gradebook counts them."""
    of = {name: released.cells[name].points for name in result.scores}
    earned = sum(scale_points(score, of[name]) for name, score in result.scores.items())
    messages = _few([*notes, *result.notes])
    return Outcome(student, GRADED, key, result.digest, "", before, earned, sum(of.values()), messages, seconds)


def needs_review(student: str, error: BaseException | str) -> Outcome:
    """Return the outcome of a submission that could not be read."""
    return Outcome(student, HUMAN, reason=readable(str(error)) or type(error).__name__)


def same_as_others(outcomes: Sequence[Outcome], groups: Mapping[str, Sequence[str]] | None = None) -> list[Outcome]:
    """Add a note to the outcomes with points whose submissions are identical to another one from outside the student's group."""
    group_of = {member: name for name, members in (groups or {}).items() for member in members}
    by_digest: dict[str, list[str]] = {}
    for outcome in outcomes:
        if outcome.state == GRADED and outcome.earned:
            by_digest.setdefault(outcome.digest, []).append(outcome.student)
    noted = []
    for outcome in outcomes:
        group = group_of.get(outcome.student, outcome.student)
        same = by_digest.get(outcome.digest, ()) if outcome.earned else ()
        others = [student for student in same if group_of.get(student, student) != group]
        note = f"{SAME_WORK} {', '.join(others[:5])}"
        noted.append(replace(outcome, notes=(*outcome.notes, note)) if others else outcome)
    return noted


def first_with_same_work(outcomes: Iterable[Outcome]) -> dict[str, str]:
    """Map each student whose work is the same as another's to the first student with that work.

    A note of an outcome names only a few of the others.
    """
    named = {
        outcome.student: [member.strip() for member in note.removeprefix(SAME_WORK).split(",")]
        for outcome in outcomes
        for note in outcome.notes
        if note.startswith(SAME_WORK)
    }
    first: dict[str, str] = {}
    for student, others in sorted(named.items()):
        first_student = next((first[member] for member in (student, *others) if member in first), student)
        first |= {member: first_student for member in (student, *others) if member in named}
    sizes = Counter(first.values())
    return {student: first_student for student, first_student in first.items() if sizes[first_student] > 1}


def late_without_time(outcomes: Sequence[Outcome], late: Mapping[str, str]) -> list[Outcome]:
    """Add a note to the outcomes of work that a platform marks as late without giving a time; ``late`` names the platform."""
    return [
        replace(outcome, notes=(*outcome.notes, f"{late[outcome.student]} {LATE}: it counts as on time"))
        if outcome.state == GRADED and outcome.student in late
        else outcome
        for outcome in outcomes
    ]


def _file(grading: Path, assignment: str) -> Path:
    return grading / "outcomes" / f"{assignment}.json"


def save_status(grading: Path, assignment: str, outcomes: Sequence[Outcome]) -> None:
    """Record the outcome of these submissions; records of others stay unchanged."""
    from filelock import FileLock

    with FileLock(grading / "outcomes.lock"):
        before = load_status(grading, assignment)
        fresh = {outcome.student: _with_time(outcome, before.get(outcome.student)) for outcome in outcomes}
        _note_changes(grading, assignment, before, fresh)
        merged = {**before} | fresh
        text = json.dumps({student: asdict(outcome) for student, outcome in sorted(merged.items())}, indent=1)
        write_whole(_file(grading, assignment), text)


def _with_time(outcome: Outcome, before: Outcome | None) -> Outcome:
    """Keep the time that grading took if this run only found the result of an earlier one."""
    same = outcome.before and before is not None and before.key == outcome.key
    return replace(outcome, seconds=before.seconds) if same and before is not None else outcome


def _note_changes(grading: Path, assignment: str, before: Mapping[str, Outcome], fresh: Mapping[str, Outcome]) -> None:
    """Append the changes of points by a regrade of the same work to the history."""
    rows = []
    for student, now in fresh.items():
        was = before.get(student)
        if was and was.state == now.state == GRADED and was.digest == now.digest and was.earned != now.earned:
            when = datetime.now(UTC).isoformat(timespec="seconds")
            rows.append({"student": student, "at": when, "before": was.key, "after": now.key})
    if rows:
        path = _history_file(grading, assignment)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf8") as file:
            file.writelines(f"{json.dumps(row)}\n" for row in rows)


def _history_file(grading: Path, assignment: str) -> Path:
    return grading / "outcomes" / f"{assignment}.history.jsonl"


def history(grading: Path, assignment: str) -> list[dict[str, str]]:
    """Return the changes of points by regrades: student, time, and the keys of the results before and after."""
    try:
        lines = _history_file(grading, assignment).read_text(encoding="utf8").splitlines()
    except FileNotFoundError:
        return []
    rows = []
    for line in lines:
        with contextlib.suppress(ValueError):  # a line that was cut when the disk was full
            rows.append(json.loads(line))
    return rows


def load_status(grading: Path, assignment: str) -> Mapping[str, Outcome]:
    """Return the outcomes of an assignment's submissions, by student; empty if none has been graded."""
    try:
        data = json.loads(_file(grading, assignment).read_text(encoding="utf8"))
        return {student: Outcome(**about | {"notes": tuple(about["notes"])}) for student, about in data.items()}
    except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError):
        return {}  # if it is damaged, or of another version, the next run rewrites it


def counts(handed_in: int, outcomes: Sequence[Outcome]) -> str:
    """Return one line with the number of submissions in each state."""
    states = Counter(o.state for o in outcomes)
    fresh = sum(o.state == GRADED and not o.before for o in outcomes)
    return (
        f"grade: {handed_in} submissions, {states[GRADED]} graded ({fresh} now, {states[GRADED] - fresh} before), "
        f"{states[HUMAN]} need a human, {states[FAILED]} failed here, run again"
    )


def regraded(refused: Sequence[str]) -> str:
    """Return a sentence about the rejected stored results, given their keys; "" if there are none."""
    count = len(set(refused))
    return f"Stored results graded again, because they were damaged or edited: {count}." if count else ""
