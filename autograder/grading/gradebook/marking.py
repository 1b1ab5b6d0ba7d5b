"""Marking by hand: the written questions of an assignment, the class's answers in groups of equal ones, and their marks.

Marks are written as formgrader writes them, and only if nobody has changed them since the marker saw them.
"""

import functools
import hashlib
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.content import notebook as notebooks
from autograder.grading.course import Course
from autograder.grading.gradebook.queries import (
    Mark,
    autograded_path,
    comments,
    gradebook_session,
    marks,
    released_assignment,
    with_hand_ins,
)
from autograder.grading.gradebook.status import part_title
from autograder.grading.submission.released import Released

MARK_SCHEME = re.compile(r"=== BEGIN MARK SCHEME ===(.*?)=== END MARK SCHEME ===", re.DOTALL)
MOST_COMMENT = 5_000


@dataclass(frozen=True)
class Question:
    """A question marked by hand: its ``text``, the course's own ``answer``, and its mark ``scheme``."""

    cell: str
    title: str
    points: float
    cell_type: str
    text: str
    answer: str
    scheme: str


@dataclass(frozen=True)
class State:
    """A mark as a person sees it. It is ``open`` until a person decides on it, and again if the answer changes afterwards."""

    points: float | None
    comment: str
    open: bool

    @classmethod
    def of(cls, mark: Mark) -> "State":
        return cls(mark.manual, mark.comment, mark.open)


@dataclass(frozen=True)
class Answer:
    """One student's answer. ``grade`` is the id of its mark; ``auto`` the points from automatic grading, such as 0 for no answer.

    ``pasted`` holds the cell's attachments as JSON: the pictures shown in its text.
    """

    grade: str
    student: str
    text: str
    auto: float | None
    state: State
    pasted: str = "{}"


@dataclass(frozen=True)
class Change:
    """A mark to write, provided that it is still as it was ``seen``."""

    grade: str
    seen: State
    new: State


def questions(course: Course, assignment: str) -> list[Question]:
    """Return the questions marked by hand, in order. Raises LookupError if the gradebook does not have the assignment."""
    released = released_assignment(course, assignment)
    solved = _solution(course, assignment)
    by_hand = []
    for cell in released.cells.values():
        if cell.grade and cell.solution:
            scheme = MARK_SCHEME.search(solved.get(cell.name, ""))
            answer = MARK_SCHEME.sub("", solved.get(cell.name, "")).strip()
            title = part_title(cell.name, cell.cell_type, None)
            text = released.before.get(cell.name, "") if cell.cell_type == "markdown" else cell.text
            by_hand.append(
                Question(
                    cell.name, title, cell.points, cell.cell_type, text, answer, scheme[1].strip() if scheme else ""
                )
            )
    return by_hand


def _solution(course: Course, assignment: str) -> dict[str, str]:
    """Return the text of each managed cell of the solution; empty if the teacher's copy has no solutions."""
    try:
        return {name: text for name, (text, _) in _cells(course.solution_notebook(assignment)).items()}
    except (LookupError, OSError, ValueError):
        return {}


def _cells(path: Path) -> dict[str, tuple[str, str]]:
    """Return the text and the attachments of each managed cell of a notebook."""
    return {
        name: (notebooks.source(cell), json.dumps(cell.get("attachments", {}), sort_keys=True))
        for cell in notebooks.read(path)["cells"]
        if isinstance(cell, dict) and (name := notebooks.grade_id(cell))
    }


@functools.lru_cache(maxsize=4096)
def _written(path: Path, changed: int, names: frozenset[str]) -> Mapping[str, tuple[str, str]]:
    """Return a notebook's answers to these questions. ``changed``, the file's modification time, invalidates the cache."""
    return {name: written for name, written in _cells(path).items() if name in names}


def answers(course: Course, assignment: str, cell: str) -> list[Answer]:
    """Return the class's answers to a question. An unreadable autograded notebook counts as an empty answer."""
    released = released_assignment(course, assignment)
    names = frozenset(
        released_cell.name
        for released_cell in released.cells.values()
        if released_cell.grade and released_cell.solution
    )
    with gradebook_session(course) as db:
        rows = [mark for mark in marks(db, assignment) if mark.cell == cell]
    return [_answer(course, released, mark, names) for mark in rows]


def _answer(course: Course, released: Released, mark: Mark, names: frozenset[str]) -> Answer:
    path = autograded_path(course, released, mark.student)
    try:
        text, pasted = _written(path, path.stat().st_mtime_ns, names)[mark.cell]
    except (OSError, ValueError, KeyError, TypeError):
        text, pasted = "", "{}"
    if text.strip() == released.cells[mark.cell].text.strip():
        text = ""
    return Answer(mark.id, mark.student, text, mark.auto, State.of(mark), pasted)


def decided_answers(
    db: Any, course: Course, released: Released, student: str
) -> dict[str, tuple[str, tuple[str, str]]]:
    """Return a student's answers that a person has marked, by the id of the mark: the name of the cell and the text."""
    from nbgrader.api import Assignment, BaseCell, Grade, SubmittedAssignment

    query = with_hand_ins(db.query(Grade.id, BaseCell.name))
    query = query.filter(Assignment.name == released.assignment, SubmittedAssignment.student_id == student)
    query = query.filter(Grade.manual_score.is_not(None), Grade.needs_manual_grade.is_(False))
    by_hand = [(grade, name) for grade, name in query.all() if (cell := released.cells.get(name)) and cell.solution]
    if not by_hand:
        return {}
    try:
        written = _cells(autograded_path(course, released, student))
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {grade: (name, written[name]) for grade, name in by_hand if name in written}


def keep_decided(
    db: Any, course: Course, released: Released, student: str, before: Mapping[str, tuple[str, tuple[str, str]]]
) -> None:
    """Close the marks again of answers that a regrade has not changed from ``before``: nbgrader reopens every mark."""
    from nbgrader.api import Grade

    written = _cells(autograded_path(course, released, student)) if before else {}
    same = [grade for grade, (name, answer) in before.items() if written.get(name) == answer]
    db.query(Grade).filter(Grade.id.in_(same), Grade.manual_score.is_not(None)).update({"needs_manual_grade": False})
    db.commit()


def open_counts(course: Course, assignment: str) -> dict[str, tuple[int, int]]:
    """Return (open, all) marks by hand of each question. Answers decided automatically, such as empty ones, are not counted."""
    with gradebook_session(course) as db:
        rows = marks(db, assignment)
    by_hand: dict[str, list[Mark]] = {}
    for mark in rows:
        if mark.open or mark.manual is not None or mark.auto is None:
            by_hand.setdefault(mark.cell, []).append(mark)
    return {cell: (sum(mark.open for mark in some), len(some)) for cell, some in by_hand.items()}


#: Characters that do not distinguish answers: punctuation and the signs of Markdown. Signs of arithmetic do.
_LAYOUT = re.compile(r"[.,;:!?'\"’‘“”„`´*_#$(){}\[\]\\|~…]+")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_SIGNS = re.compile(r"[-+=<>≤≥≠/^√∞%→]")
_NEGATIONS = re.compile(
    r"\b(no|not|none|never|neither|nor|without|cannot|\w+n['’]?t|nein|nicht|kein\w*|nie|ohne|ne|pas|non|sans|sin)\b"
)
#: Two answers are near-equal if they share this part of their character n-grams; the length of these.
_NEAR, _SEQUENCE = 0.9, 4
#: Characters of the longest answer that is compared word by word. Longer ones are equal only to themselves: one letter may become
#: eighteen, each page compares all answers again, and a notebook holds two million characters.
_LONGEST_COMPARED = 20_000


def plain_words(text: str) -> str:
    """Return a text normalised for comparison: without case, punctuation, layout and Markdown markup."""
    if len(text) > _LONGEST_COMPARED:
        return hashlib.sha256(text.encode("utf8", "replace")).hexdigest()
    return " ".join(_LAYOUT.sub(" ", unicodedata.normalize("NFKC", text).casefold()).split())


def _facts(text: str) -> tuple[Any, ...]:
    """Return the features that near-equal answers must share: numbers, signs, and the number of negations."""
    if len(text) > _LONGEST_COMPARED:
        return (plain_words(text),)
    folded = unicodedata.normalize("NFKC", text).casefold()
    signs = "".join(sorted(_SIGNS.findall(folded)))
    return tuple(sorted(_DIGITS.findall(folded))), signs, len(_NEGATIONS.findall(folded))


@dataclass(frozen=True)
class Variant:
    """Answers that are equal except for layout. ``added`` and ``missing`` are words relative to the group's first variant."""

    answers: tuple[Answer, ...]
    added: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.answers[0].text

    @property
    def pasted(self) -> str:
        return self.answers[0].pasted

    @property
    def empty(self) -> bool:
        return not self.text.strip() and self.pasted == "{}"


def group_answers(class_answers: Iterable[Answer]) -> list[list[Variant]]:
    """Return groups of equal and near-equal answers: the largest first, the empty answers last."""
    equal: dict[tuple[str, str], list[Answer]] = {}
    for answer in class_answers:
        equal.setdefault((plain_words(answer.text), answer.pasted), []).append(answer)
    clusters: dict[tuple[Any, ...], list[list[tuple[Counter[str], str]]]] = {}
    for (words, pasted), alike in sorted(equal.items(), key=lambda item: (-len(item[1]), item[0])):
        sequences = ngrams(words)
        near = clusters.setdefault((pasted, *_facts(alike[0].text)), [])
        fitting = next(
            (
                cluster
                for cluster in near
                if words and share_most(cluster[0][0], sequences, _NEAR) and _same_order(cluster[0][1], words)
            ),
            None,
        )
        if fitting is None:
            near.append([(sequences, words)])
        else:
            fitting.append((sequences, words))
    groups = [
        [_variant(equal[words, facts[0]], words, cluster[0][1]) for _, words in cluster]
        for facts, near in clusters.items()
        for cluster in near
    ]
    return sorted(groups, key=lambda group: (group[0].empty, -sum(len(variant.answers) for variant in group)))


def ngrams(text: str) -> Counter[str]:
    """Count the character n-grams of a text. Unlike an alignment, that takes time in proportion to the text."""
    return Counter(text[at : at + _SEQUENCE] for at in range(max(1, len(text) - _SEQUENCE + 1)))


def share_most(first: Counter[str], second: Counter[str], share: float) -> bool:
    """Return whether two texts share this part of their n-grams."""
    sizes = first.total(), second.total()
    return 2 * min(sizes) >= share * sum(sizes) <= 2 * (first & second).total()


def _same_order(first_text: str, second_text: str) -> bool:
    """Return whether the common words are in the same order: swapping key and query changes the meaning of an answer."""
    words = first_text.split(), second_text.split()
    differing = dict((Counter(words[0]) - Counter(words[1])) + (Counter(words[1]) - Counter(words[0])))
    first, second = ([word for word in some if word not in differing] for some in words)
    return first == second


def _variant(some: Sequence[Answer], words: str, first: str) -> Variant:
    counts, first_counts = Counter(words.split()), Counter(first.split())
    return Variant(tuple(some), tuple(counts - first_counts), tuple(first_counts - counts))


def write_marks(
    course: Course, assignment: str, cell: str, changes: Sequence[Change]
) -> tuple[dict[str, State], dict[str, State]]:
    """Write marks of one question in one transaction; return (the current marks, the marks changed by others meanwhile).

    Raises LookupError for a mark that does not belong to this question, and ValueError for points out of range.
    """
    from nbgrader.api import Comment, Grade
    from sqlalchemy import text

    question = next((candidate for candidate in questions(course, assignment) if candidate.cell == cell), None)
    if question is None:
        raise LookupError(f"{assignment} has no question {cell!r}.")
    for change in changes:
        _require_valid(change.new, question)
    written, refused = {}, {}
    with gradebook_session(course) as db:
        db.execute(text("BEGIN IMMEDIATE"))  # formgrader, too, writes nothing between the comparison and the end
        mark_by_id = {mark.id: mark for mark in marks(db, assignment) if mark.cell == cell}
        places = comments(db)
        for change in changes:
            if (mark := mark_by_id.get(change.grade)) is None:
                raise LookupError("There is no such answer any more. Load the page again.")
            new = State(change.new.points, change.new.comment.strip(), change.new.open)
            if new.points is None and mark.auto is None:
                new = State(None, new.comment, True)
            if (now := State.of(mark)) not in (change.seen, new):
                refused[change.grade] = now
                continue
            written[change.grade] = new
            grade = db.query(Grade).filter(Grade.id == mark.id)
            grade.update({"manual_score": new.points, "needs_manual_grade": new.open})
            if new.comment != mark.comment and (place := places.get((mark.notebook, cell))):
                db.query(Comment).filter(Comment.id == place[0]).update({"manual_comment": new.comment or None})
        db.commit()
    return written, refused


def _require_valid(state: State, question: Question) -> None:
    points = state.points
    if points is not None and not (math.isfinite(points) and 0 <= points <= question.points):
        raise ValueError(f"Expected points from 0 to {question.points:g}, but got {points:g}.")
    if len(state.comment) > MOST_COMMENT:
        raise ValueError(f"Expected a comment of at most {MOST_COMMENT:,} characters.")
