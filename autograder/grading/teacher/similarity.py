"""``autograder similar``: fingerprints of answers by copydetect, and the page of similar pairs.

Released code and known answers are subtracted: there is only one short way to write a softmax, and two students who find it have
not copied.
"""

import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from autograder.content.known_answers import cases_of
from autograder.grading.console import progress
from autograder.grading.course import Course
from autograder.grading.gradebook.status import ClassStatus, load_class_status
from autograder.grading.run.status import first_with_same_work
from autograder.grading.run.store import write_whole
from autograder.grading.teacher.answers import answer_in, cells_of
from autograder.grading.teacher.report import render

#: The length of a k-gram and of a window, in characters of filtered code: about a statement.
K, WINDOW = 20, 6
#: A fingerprint shared by more than this part of the class, and by more than this number, says nothing about two students.
_COMMON, _COMMON_STUDENTS = 0.15, 4
#: Fingerprints that two answers have to share to be listed at all.
_FEWEST = 3
#: Maximum of characters, since Pygments takes quadratic time.
_BLANK_LINES = re.compile(r"\n\s*\n")
_NAME = "answer.py"  # tells Pygments the language


@dataclass
class AnswerPrint:
    """The fingerprint of one answer. ``own`` holds the hashes that occur neither in the release nor in the bank."""

    text: str
    fingerprint: Any
    own: frozenset[int]


@dataclass
class Pair:
    """Two students, and for each exercise the share of the smaller answer's fingerprints that is in the other's."""

    one: str
    other: str
    shares: dict[str, float] = field(default_factory=dict)
    shared: int = 0
    possible: int = 0

    @property
    def total(self) -> float:
        """The share over all exercises in which both have fingerprints of their own."""
        return self.shared / self.possible if self.possible else 0.0


def fingerprint(text: str, known: Any) -> AnswerPrint:
    """Return the fingerprint of an answer; ``known`` are hashes to subtract."""
    from copydetect import CodeFingerprint

    text = _BLANK_LINES.sub("\n\n", text)
    mark = CodeFingerprint(_NAME, K, WINDOW, boilerplate=known, fp=io.StringIO(text))
    return AnswerPrint(text, mark, frozenset(int(one) for one in mark.hashes))


def known_hashes(texts: Iterable[str]) -> Any:
    """Return every k-gram hash of these texts, not only the winnowed ones, as copydetect subtracts them."""
    from copydetect.utils import filter_code, hashed_kgrams

    found = [hashed_kgrams(filter_code(text, _NAME)[0], K) for text in texts if text.strip()]
    return np.unique(np.concatenate(found)) if found else np.array([], dtype=int)


def pairs(answers: Mapping[str, Mapping[str, AnswerPrint]], group_of: Mapping[str, str], least: float) -> list[Pair]:
    """Return the pairs with at least this total share, the most similar first.

    ``answers`` holds fingerprints by exercise and student; ``group_of`` maps students to the group in which they work.
    """
    pair_of: dict[tuple[str, str], Pair] = {}
    for exercise, prints in answers.items():
        count_of = Counter(one for mark in prints.values() for one in mark.own)
        limit = max(_COMMON_STUDENTS, _COMMON * len(prints))
        own_of = {
            student: frozenset(one for one in mark.own if count_of[one] <= limit) for student, mark in prints.items()
        }
        for (one, other), shared in _shared(own_of).items():
            if shared < _FEWEST or group_of.get(one, one) == group_of.get(other, other):
                continue
            pair = pair_of.setdefault((one, other), Pair(one, other))
            pair.shares[exercise] = shared / max(1, min(len(own_of[one]), len(own_of[other])))
            pair.shared += shared
    for (one, other), pair in pair_of.items():
        pair.possible = sum(
            min(len(prints[one].own), len(prints[other].own))
            for prints in answers.values()
            if one in prints and other in prints
        )
    similar = [pair for pair in pair_of.values() if pair.total >= least]
    return sorted(similar, key=lambda pair: (-pair.total, -pair.shared, pair.one, pair.other))


def _shared(own: Mapping[str, frozenset[int]]) -> Counter[tuple[str, str]]:
    """Return the number of fingerprints that each pair of students shares."""
    having: dict[int, list[str]] = defaultdict(list)
    for student in sorted(own):
        for one in own[student]:
            having[one].append(student)
    return Counter(pair for students in having.values() for pair in combinations(students, 2))


def shared_places(one: AnswerPrint, other: AnswerPrint) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return, for each text, the spans (begin, end) that also occur in the other."""
    from copydetect import compare_files

    _, _, slices = compare_files(one.fingerprint, other.fingerprint)
    return _begin_and_end(slices[0]), _begin_and_end(slices[1])


def _begin_and_end(slices: Any) -> list[tuple[int, int]]:
    if not len(slices) or not np.size(slices):
        return []
    starts, ends = np.asarray(slices, dtype=int)
    return sorted(zip(map(int, starts), map(int, ends), strict=True))


def highlight_shared(text: str, places: Sequence[tuple[int, int]]) -> list[tuple[str, bool]]:
    """Return the pieces of the text, each with True if it is shared."""
    pieces, at = [], 0
    for begin, end in places:
        begin, end = max(begin, at), max(end, at)
        pieces += [(text[at:begin], False), (text[begin:end], True)]
        at = end
    return [(piece, shared) for piece, shared in [*pieces, (text[at:], False)] if piece]


_MOST_PAIRS = 60


def write_similar(course: Course, assignment: str, least: float, output: Path | None = None) -> tuple[Path, int, int]:
    """Compare the answers of all students, and write the page.

    Returns its path, the number of pairs with at least this shared part, and the number of groups whose work is the same: it may
    share nothing that counts here, since known answers are subtracted. Raises LookupError if nothing has been graded.
    """
    class_status = load_class_status(course, assignment)
    prints = _prints(course, class_status)
    if not prints:
        raise LookupError(
            f"Nobody's work in {assignment!r} has been graded yet. Run this first: autograder grade {assignment}"
        )
    group_of = {one.student.id: one.student.group for one in class_status.students if one.student.group}
    similar = pairs(prints, group_of, least)
    labels = {one.student.id: one.student.label for one in class_status.students}
    shown_pairs = [_pair_data(pair, prints, labels) for pair in similar[:_MOST_PAIRS]]
    same = _same_work(class_status, labels)
    page = output or course.grading / "similar" / f"{assignment}.html"
    exercises = list(prints)
    students = len({student for by_student in prints.values() for student in by_student})
    values = {
        "assignment": assignment,
        "same": same,
        "pairs": shown_pairs,
        "more": len(similar) - len(shown_pairs),
        "students": students,
    }
    write_whole(page, render("similar.html.j2", exercises=exercises, least=least, **values))
    return page, len(similar), len(same)


def _same_work(class_status: ClassStatus, labels: Mapping[str, str]) -> list[list[str]]:
    """Return the labels of the students in each group whose work is the same."""
    groups: dict[str, list[str]] = defaultdict(list)
    outcomes = [one.outcome for one in class_status.students if one.outcome is not None]
    for student, first in sorted(first_with_same_work(outcomes).items()):
        groups[first].append(labels.get(student, student))
    return list(groups.values())


def _prints(course: Course, class_status: ClassStatus) -> dict[str, dict[str, AnswerPrint]]:
    """Return the fingerprints by exercise and student, minus those of released code and known answers."""
    lesson = course.lessons.find(class_status.assignment)
    released = [cell.text for cell in class_status.released.cells.values() if cell.cell_type == "code"]
    known: dict[str, Any] = {
        name: known_hashes([*released, *(case.text for case in (cases_of(lesson, name) if lesson is not None else ()))])
        for name in class_status.released.exercises
    }
    prints: dict[str, dict[str, AnswerPrint]] = {}
    graded = [one.student.id for one in class_status.students if one.so_far is not None]
    with progress("reading answers", len(graded)) as step:
        for student in graded:
            cells = cells_of(course, class_status.released, student)
            for name in class_status.released.exercises:
                if text := answer_in(cells, name):
                    prints.setdefault(name, {})[student] = fingerprint(text, known[name])
            step()
    return prints


def _pair_data(
    pair: Pair, prints: Mapping[str, Mapping[str, AnswerPrint]], labels: Mapping[str, str]
) -> dict[str, Any]:
    """Return a pair as the template needs it: the exercises with similar answers, side by side."""
    sides = []
    for exercise, share in sorted(pair.shares.items(), key=lambda item: -item[1]):
        one, other = prints[exercise][pair.one], prints[exercise][pair.other]
        places = shared_places(one, other)
        sides.append(
            {
                "exercise": exercise,
                "share": share,
                "one": highlight_shared(one.text, places[0]),
                "other": highlight_shared(other.text, places[1]),
            }
        )
    return {
        "one": labels[pair.one],
        "other": labels[pair.other],
        "total": pair.total,
        "shared": pair.shared,
        "sides": sides,
    }
