"""``autograder why``: explain one student's points."""

from dataclasses import dataclass

from autograder.grading.console import readable, readable_lines
from autograder.grading.course import Course
from autograder.grading.gradebook.enrolment import handed_in
from autograder.grading.gradebook.queries import known_students
from autograder.grading.gradebook.status import UNMARKED, ClassStatus, GradeStatus, load_class_status
from autograder.grading.lms.grades import number, request_text
from autograder.grading.run.result import Result
from autograder.grading.run.status import GRADED
from autograder.grading.run.store import Store
from autograder.grading.submission.read import HandIn, canonical_id


@dataclass(frozen=True)
class StudentResult:
    """A student in an assignment. ``result`` is None if nothing has been graded."""

    class_status: ClassStatus
    status: GradeStatus
    result: Result | None


def hand_ins_of(course: Course, assignment: str) -> list[HandIn]:
    """Return the hand-ins of all students."""
    return handed_in(course, course.grading / "submitted", assignment, known_students(course))


def hand_in_of(course: Course, student: str, assignment: str) -> HandIn:
    """Return a student's hand-in, perhaps the group's. Raises LookupError if there is none."""
    for hand_in in hand_ins_of(course, assignment):
        if canonical_id(hand_in.student) == canonical_id(student):
            if hand_in.problem:
                raise LookupError(f"{student}: {hand_in.problem}")
            return hand_in
    raise LookupError(f"{student!r} has handed in nothing for {assignment}.")


def find_student(course: Course, student: str, assignment: str) -> StudentResult:
    """Return a student's status and result. Raises LookupError if the class has no such student."""
    class_status = load_class_status(course, assignment)
    status = {canonical_id(grade.student.id): grade for grade in class_status.students}.get(canonical_id(student))
    if status is None:
        near = [
            grade.student.id
            for grade in class_status.students
            if canonical_id(student).casefold() in grade.student.name.casefold()
        ]
        hint = f" Did you mean {', '.join(near[:5])}?" if near else ""
        raise LookupError(f"There is no student {student!r} in {assignment}.{hint}")
    key = status.outcome.key if status.outcome is not None else ""
    return StudentResult(class_status, status, Store(course.grading).get(key) if key else None)


def why(record: StudentResult, exercise: str | None = None) -> str:
    """Return the points, their causes, the seed and the versions as text. Raises LookupError for an unknown exercise."""
    lines = _head(record)
    if record.result is None:
        return "\n".join(lines)
    names = [report["name"] for report in record.result.exercises]
    if exercise is not None and exercise not in names:
        raise LookupError(
            f"{record.class_status.assignment} has no exercise {exercise!r}. Expected one of: {', '.join(names)}."
        )
    lines += _parts(record) if exercise is None else []
    lines += _what_ran(record.result) if exercise is None else []
    for report in record.result.exercises:
        incomplete = report["earned"] < report["points"]
        if report["name"] == exercise or (exercise is None and incomplete):
            lines += ["", *(readable_lines(report["text"]))]
    return "\n".join(lines)


def _head(record: StudentResult) -> list[str]:
    status = record.status
    student = status.student
    lines = [f"{readable(student.label)}, {record.class_status.assignment}: {status.state}"]
    if status.reason:
        lines.append(f"  because: {readable(status.reason)}")
    if status.so_far is not None:
        late = f", {status.days_late} days late: −{number(status.penalty)}" if status.penalty else ""
        lines.append(f"  {number(status.so_far)} of {number(status.points)} points{late}")
    if status.handed_in is not None:
        lines.append(f"  handed in {status.handed_in.isoformat(timespec='seconds')}")
    lines += [f"  please look: {readable(note)}" for note in (status.outcome.notes if status.outcome else ())]
    return [*lines, *(f"  {readable(request_text(request))}" for request in status.requests)]


def _parts(record: StudentResult) -> list[str]:
    lines = [""]
    causes = {report["name"]: report["named"] for report in (record.result.exercises if record.result else ())}
    status = record.status
    undecided = UNMARKED if status.state in (GRADED, UNMARKED) else status.state
    for part in status.parts:
        earned = undecided if part.earned is None else f"{number(part.earned)} of {number(part.points)}"
        cause = "; ".join(causes.get(part.title, ())) if part.earned is None or part.earned < part.points else ""
        about = " (by hand)" if part.by_hand else ""
        lines.append(f"  {part.label + about:<40}{earned:>16}{'   ' + readable(cause) if cause else ''}".rstrip())
        lines += [f"      comment: {readable(part.comment)}"] if part.comment else []
    return lines


def _what_ran(result: Result) -> list[str]:
    cells = len(result.outputs)
    sealed = "in the sandbox" if result.sealed else "WITHOUT a sandbox"
    versions = ", ".join(f"{name} {version}" for name, version in result.environment.items())
    lines = ["", f"  seed {result.seed}; checks {result.checks}; {cells} cells ran {sealed}; {versions}"]
    lines += [f"  {readable(result.whose_numbers)}"] if result.author else []
    lines += [f"  stopped: {readable(cell)}: {readable(error)}" for cell, error in result.errors]
    return lines
