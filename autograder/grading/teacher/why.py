"""``autograder why``: explain one student's points."""

from dataclasses import dataclass

from autograder.grading.console import readable, readable_lines
from autograder.grading.course import Course
from autograder.grading.gradebook.enrolment import handed_in
from autograder.grading.gradebook.queries import known_students
from autograder.grading.gradebook.status import ClassStatus, GradeStatus, load_class_status
from autograder.grading.lms.grades import number, request_text
from autograder.grading.run.result import Result
from autograder.grading.run.store import Store
from autograder.grading.submission.read import HandIn, canonical_id


@dataclass(frozen=True)
class StudentResult:
    """A student in an assignment. ``result`` is None where nothing has been graded."""

    standing: ClassStatus
    own: GradeStatus
    result: Result | None


def hand_ins_of(course: Course, assignment: str) -> list[HandIn]:
    """Return everyone's hand-ins."""
    return handed_in(course, course.grading / "submitted", assignment, known_students(course))


def hand_in_of(course: Course, student: str, assignment: str) -> HandIn:
    """Return a student's hand-in, perhaps that of their group. Raises LookupError if there is none."""
    for one in hand_ins_of(course, assignment):
        if canonical_id(one.student) == canonical_id(student):
            if one.problem:
                raise LookupError(f"{student}: {one.problem}")
            return one
    raise LookupError(f"{student!r} has handed in nothing for {assignment}.")


def find(course: Course, student: str, assignment: str) -> StudentResult:
    """Return what is known of a student's work. Raises LookupError if nobody is called that in this class."""
    standing = load_class_status(course, assignment)
    own = {canonical_id(one.student.id): one for one in standing.students}.get(canonical_id(student))
    if own is None:
        near = [
            one.student.id
            for one in standing.students
            if canonical_id(student).casefold() in one.student.name.casefold()
        ]
        hint = f" Did you mean {', '.join(near[:5])}?" if near else ""
        raise LookupError(f"There is no student {student!r} in {assignment}.{hint}")
    key = own.outcome.key if own.outcome is not None else ""
    return StudentResult(standing, own, Store(course.grading).get(key) if key else None)


def why(found: StudentResult, exercise: str | None = None) -> str:
    """Return a page of text: the points, their causes, the seed, and what ran. Raises LookupError without such an exercise."""
    lines = _head(found)
    if found.result is None:
        return "\n".join(lines)
    names = [one["name"] for one in found.result.exercises]
    if exercise is not None and exercise not in names:
        raise LookupError(
            f"{found.standing.assignment} has no exercise {exercise!r}. Expected one of: {', '.join(names)}."
        )
    lines += _parts(found) if exercise is None else []
    lines += _ran(found.result) if exercise is None else []
    for one in found.result.exercises:
        lost = one["earned"] < one["points"]
        if one["name"] == exercise or (exercise is None and lost):
            lines += ["", *(readable_lines(one["text"]))]
    return "\n".join(lines)


def _head(found: StudentResult) -> list[str]:
    own = found.own
    who = own.student
    title = f"{who.id} ({who.name})" if who.name != who.id else who.id
    lines = [f"{readable(title)}, {found.standing.assignment}: {own.state}"]
    if own.reason:
        lines.append(f"  because: {readable(own.reason)}")
    if own.so_far is not None:
        late = f", {own.days_late} days late: −{number(own.penalty)}" if own.penalty else ""
        lines.append(f"  {number(own.so_far)} of {number(own.points)} points{late}")
    if own.handed_in is not None:
        lines.append(f"  handed in {own.handed_in.isoformat(timespec='seconds')}")
    lines += [f"  please look: {readable(note)}" for note in (own.outcome.notes if own.outcome else ())]
    return [*lines, *(f"  {readable(request_text(one))}" for one in own.requests)]


def _parts(found: StudentResult) -> list[str]:
    lines = [""]
    named = {one["name"]: one["named"] for one in (found.result.exercises if found.result else ())}
    for part in found.own.parts:
        earned = "not yet marked" if part.earned is None else f"{number(part.earned)} of {number(part.points)}"
        cause = "; ".join(named.get(part.title, ())) if part.earned is None or part.earned < part.points else ""
        about = " (by hand)" if part.by_hand else ""
        lines.append(f"  {part.title + about:<40}{earned:>16}{'   ' + readable(cause) if cause else ''}".rstrip())
        lines += [f"      comment: {readable(part.comment)}"] if part.comment else []
    return lines


def _ran(result: Result) -> list[str]:
    cells = len(result.outputs)
    sealed = "in the sandbox" if result.sealed else "WITHOUT a sandbox"
    versions = ", ".join(f"{name} {version}" for name, version in result.environment.items())
    lines = ["", f"  seed {result.seed}; checks {result.checks}; {cells} cells ran {sealed}; {versions}"]
    lines += [f"  {readable(result.whose_numbers)}"] if result.author else []
    lines += [f"  stopped: {readable(cell)}: {readable(error)}" for cell, error in result.errors]
    return lines
