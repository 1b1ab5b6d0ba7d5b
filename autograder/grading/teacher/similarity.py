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
#: Runs of blank lines, which are shortened first: Pygments takes time with the square of their number.
_BLANK_LINES = re.compile(r"\n\s*\n")
_NAME = "answer.py"  # tells Pygments the language


@dataclass
class AnswerPrint:
    """The fingerprint of one answer. ``own_hashes`` holds the hashes that occur neither in the release nor in the bank."""

    text: str
    fingerprint: Any
    own_hashes: frozenset[int]


@dataclass
class Pair:
    """Two students, and for each exercise the share of the smaller answer's fingerprints that is in the other's."""

    first: str
    second: str
    shares: dict[str, float] = field(default_factory=dict)
    shared: int = 0
    possible: int = 0

    @property
    def total(self) -> float:
        """The share over all exercises in which both have fingerprints of their own."""
        return self.shared / self.possible if self.possible else 0.0


def fingerprint(text: str, boilerplate: Any) -> AnswerPrint:
    """Return the fingerprint of an answer; ``boilerplate`` are hashes to subtract."""
    from copydetect import CodeFingerprint

    text = _BLANK_LINES.sub("\n\n", text)
    mark = CodeFingerprint(_NAME, K, WINDOW, boilerplate=boilerplate, fp=io.StringIO(text))
    return AnswerPrint(text, mark, frozenset(int(value) for value in mark.hashes))


def known_hashes(texts: Iterable[str]) -> Any:
    """Return every k-gram hash of these texts, not only the winnowed ones, as copydetect subtracts them."""
    from copydetect.utils import filter_code, hashed_kgrams

    hashes = [hashed_kgrams(filter_code(text, _NAME)[0], K) for text in texts if text.strip()]
    return np.unique(np.concatenate(hashes)) if hashes else np.array([], dtype=int)


def pairs(answers: Mapping[str, Mapping[str, AnswerPrint]], group_of: Mapping[str, str], least: float) -> list[Pair]:
    """Return the pairs with at least this total share, the most similar first.

    ``answers`` holds fingerprints by exercise and student; ``group_of`` maps students to the group in which they work.
    """
    pair_of: dict[tuple[str, str], Pair] = {}
    for exercise, prints in answers.items():
        count_of = Counter(hash_value for mark in prints.values() for hash_value in mark.own_hashes)
        limit = max(_COMMON_STUDENTS, _COMMON * len(prints))
        own_of = {
            student: frozenset(hash_value for hash_value in mark.own_hashes if count_of[hash_value] <= limit)
            for student, mark in prints.items()
        }
        for (first, second), shared in _shared(own_of).items():
            if shared < _FEWEST or group_of.get(first, first) == group_of.get(second, second):
                continue
            pair = pair_of.setdefault((first, second), Pair(first, second))
            pair.shares[exercise] = shared / max(1, min(len(own_of[first]), len(own_of[second])))
            pair.shared += shared
    for (first, second), pair in pair_of.items():
        pair.possible = sum(
            min(len(prints[first].own_hashes), len(prints[second].own_hashes))
            for prints in answers.values()
            if first in prints and second in prints
        )
    similar = [pair for pair in pair_of.values() if pair.total >= least]
    return sorted(similar, key=lambda pair: (-pair.total, -pair.shared, pair.first, pair.second))


def _shared(hashes_of: Mapping[str, frozenset[int]]) -> Counter[tuple[str, str]]:
    """Return the number of fingerprints that each pair of students shares."""
    having: dict[int, list[str]] = defaultdict(list)
    for student in sorted(hashes_of):
        for hash_value in hashes_of[student]:
            having[hash_value].append(student)
    return Counter(pair for students in having.values() for pair in combinations(students, 2))


def shared_places(first: AnswerPrint, second: AnswerPrint) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return, for each text, the spans (begin, end) that also occur in the other."""
    from copydetect import compare_files

    _, _, slices = compare_files(first.fingerprint, second.fingerprint)
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
    group_of = {grade.student.id: grade.student.group for grade in class_status.students if grade.student.group}
    similar = pairs(prints, group_of, least)
    labels = {grade.student.id: grade.student.label for grade in class_status.students}
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
    outcomes = [grade.outcome for grade in class_status.students if grade.outcome is not None]
    for student, first in sorted(first_with_same_work(outcomes).items()):
        groups[first].append(labels.get(student, student))
    return list(groups.values())


def _prints(course: Course, class_status: ClassStatus) -> dict[str, dict[str, AnswerPrint]]:
    """Return the fingerprints by exercise and student, minus those of released code and known answers."""
    lesson = course.lessons.find(class_status.assignment)
    released = [cell.text for cell in class_status.released.cells.values() if cell.cell_type == "code"]
    boilerplate: dict[str, Any] = {
        name: known_hashes([*released, *(case.text for case in (cases_of(lesson, name) if lesson is not None else ()))])
        for name in class_status.released.exercises
    }
    prints: dict[str, dict[str, AnswerPrint]] = {}
    graded = [grade.student.id for grade in class_status.students if grade.so_far is not None]
    with progress("reading answers", len(graded)) as step:
        for student in graded:
            cells = cells_of(course, class_status.released, student)
            for name in class_status.released.exercises:
                if text := answer_in(cells, name):
                    prints.setdefault(name, {})[student] = fingerprint(text, boilerplate[name])
            step()
    return prints


def _pair_data(
    pair: Pair, prints: Mapping[str, Mapping[str, AnswerPrint]], labels: Mapping[str, str]
) -> dict[str, Any]:
    """Return a pair as the template needs it: the exercises with similar answers, side by side."""
    sides = []
    for exercise, share in sorted(pair.shares.items(), key=lambda item: -item[1]):
        first, second = prints[exercise][pair.first], prints[exercise][pair.second]
        places = shared_places(first, second)
        sides.append(
            {
                "exercise": exercise,
                "share": share,
                "one": highlight_shared(first.text, places[0]),
                "other": highlight_shared(second.text, places[1]),
            }
        )
    return {
        "one": labels[pair.first],
        "other": labels[pair.second],
        "total": pair.total,
        "shared": pair.shared,
        "sides": sides,
    }
