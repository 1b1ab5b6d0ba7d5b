"""``autograder questions``: questions about a student's own code, for an interview.

One line of a right answer gets a small change, and the checks show the properties that would be lost. A student who has
understood the line can predict them.
"""

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from autograder.content import notebook
from autograder.diagnosis.edits import Edit, edits
from autograder.diagnosis.mutations import apply_edit
from autograder.grading.console import readable
from autograder.grading.course import Course
from autograder.grading.run.pool import GradingJob, ManualReviewNeeded, WorkerCrashed, WorkerPool
from autograder.grading.submission.model import Submission
from autograder.grading.teacher.replay import job_of
from autograder.grading.teacher.why import StudentResult
from autograder.runtime.text import source_lines

#: Maximum of changes tried for a question: many make no difference, or break the whole answer.
_TRIES = 6

#: Characters of the longest answer that is changed: a strange one of 200,000 has 300,000 places, which take half a gigabyte.
_LONGEST = 20_000


@dataclass(frozen=True)
class Question:
    """A line of a student's answer, its replacement, and the properties, each with True if it would be lost."""

    exercise: str
    number: int
    line: str
    changed: str
    lost: dict[str, bool]
    mistake: str = ""

    def question_lines(self) -> list[str]:
        sentences = [f"   {letter}  {sentence}" for letter, sentence in zip(_LETTERS, self.lost, strict=False)]
        return [
            f"{self.exercise}, line {self.number}:  {readable(self.line)}",
            f"What if it said instead:  {readable(self.changed)}",
            "Which of these would no longer hold, and why?",
            *sentences,
        ]

    def answer_line(self) -> str:
        letters = [letter for letter, lost in zip(_LETTERS, self.lost.values(), strict=False) if lost]
        return f"{', '.join(letters)}{f'  ({readable(self.mistake)})' if self.mistake else ''}"


_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def questions(
    course: Course, record: StudentResult, exercise: str | None, count: int, trust: bool = False
) -> list[Question]:
    """Return questions about exercises with full points, each found by running the checks on the changed code.

    The same hand-in always gets the same questions. Raises LookupError if there is nothing to ask about.
    """
    student, assignment = record.status.student.id, record.class_status.assignment
    job = job_of(course, student, assignment, record.result, exercise, trust)
    lesson = course.lessons.of(assignment)
    full = {
        report["name"]
        for report in (record.result.exercises if record.result else ())
        if report["earned"] == report["points"]
    }
    chosen = [exercise] if exercise else [name for name in lesson.exercises if name in full]
    askable = [name for name in chosen if name in full and not lesson.measures(name)]
    if not askable:
        raise LookupError(
            f"{student} has no exercise in {assignment} to ask about: it has to be graded, right, and not one that measures time."
        )
    draw = random.Random(job.submission.digest)
    draw.shuffle(askable)
    questions_so_far: list[Question] = []
    try:
        with WorkerPool(1) as pool:
            for name in askable * count:
                if len(questions_so_far) == count:
                    break
                lines = {(earlier.exercise, earlier.number) for earlier in questions_so_far}
                question = _question(pool, replace(job, only=[name]), name, draw, lines)
                questions_so_far += [question] if question else []
    except (ManualReviewNeeded, WorkerCrashed) as error:
        raise LookupError(f"{student}: {error}") from None
    return questions_so_far


def _question(
    pool: WorkerPool,
    job: GradingJob,
    exercise: str,
    draw: random.Random,
    lines_used: set[tuple[str, int]],
) -> Question | None:
    """Return a question about a line not in ``lines_used``; None if no tried change loses some, but not all, of the points."""
    text = next((notebook.source(c) for c in job.submission.cells if notebook.grade_id(c) == exercise), "")
    places = [edit for edit in _changes(text) if (exercise, edit.old.lineno) not in lines_used]
    draw.shuffle(places)
    for edit in places[:_TRIES]:
        changed = apply_edit(text, edit)
        [report] = pool.grade(replace(job, submission=_with_answer(job.submission, exercise, changed))).exercises
        lost = {check["sentence"]: check["earned"] < check["points"] for check in report["checks"]}
        if any(lost.values()) and not all(lost.values()):
            at = edit.old.lineno - 1
            lines, new = source_lines(text), source_lines(changed)
            return Question(exercise, at + 1, lines[at].strip(), new[at].strip(), lost, ", ".join(report["named"]))
    return None


def _changes(text: str) -> Iterator[Edit]:
    """Yield the edits within one line of an answer; none if it is not plain Python, or far longer than any answer."""
    if len(text) > _LONGEST:
        return
    try:
        all_edits = [edit for _, edit in edits([ast.parse(text)])]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for edit in all_edits:
        if edit.old.lineno == edit.old.end_lineno:
            yield edit


def _with_answer(submission: Submission, exercise: str, text: str) -> Submission:
    cells = [{**c, "source": text} if notebook.grade_id(c) == exercise else c for c in submission.cells]
    return replace(submission, cells=cells)


def as_text(questions: list[Question]) -> str:
    """Return the questions, followed by their answers."""
    parts = []
    for number, question in enumerate(questions, 1):
        first, *rest = question.question_lines()
        parts += [f"{number}. {first}", *(f"   {line}" for line in rest), ""]
    answers = [f"{number}. {question.answer_line()}" for number, question in enumerate(questions, 1)]
    return "\n".join([*parts, "Answers, by the checks:", *answers])
