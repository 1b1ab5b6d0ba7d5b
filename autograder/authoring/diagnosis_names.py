"""Measure how often the diagnosis names a mistake correctly.

Half of the known wrong answers are hidden from the diagnosis, which must then explain them by the other half, by the checks and
by symptoms, as with an unknown mistake. A human reader has judged each name that the diagnosis gives: ``answers/names.txt`` of a
lesson has one line for each, ``judgement | exercise/case | name``. A name without a judgement, because the diagnosis has changed,
counts as unread.
"""

import linecache
import resource
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.content.known_answers import Case, cases_of, hidden_cases
from autograder.content.lesson import Lesson
from autograder.runtime.files import files_in

#: ``right``: the name of this mistake. ``vague``: true of many mistakes. ``misleading``: it points elsewhere.
JUDGEMENTS = ("right", "vague", "none", "misleading", "unread")
#: Maximum share of hidden answers with a misleading name.
MISLEADING = 0.02
#: Maximum share of names without a judgement.
UNREAD = 0.05
SEED = 17
_HERE = files_in(".")
_MOST_MEMORY = 6 * 2**30


@dataclass(frozen=True)
class NamedDiagnosis:
    """The diagnosis of a hidden answer, and a reader's judgement of it."""

    case: Case
    names: str
    judgement: str

    def __str__(self) -> str:
        return f"{self.judgement} | {self.case.exercise}/{self.case.name} | {self.names}"


def hidden_half(lesson: Lesson, exercise: str) -> list[Case]:
    """Return half of the wrong answers to an exercise. A new wrong answer does not change the selection among the others."""
    wrong = (case for case in cases_of(lesson, exercise) if not case.right)
    return [case for case in wrong if zlib.crc32(f"{exercise}/{case.name}".encode()) % 2]


def diagnose_hidden(lessons: Sequence[Lesson], workers: int, solutions: Path) -> Iterator[NamedDiagnosis]:
    """Submit each hidden answer of these lessons with the files of its lesson's solution, and yield its diagnosis."""
    judgements_of = {lesson: _judgements(lesson) for lesson in lessons}
    tasks = [
        (lesson, exercise, case, solutions)
        for lesson in lessons
        for exercise in lesson.exercises
        for case in hidden_half(lesson, exercise)
    ]
    with ProcessPoolExecutor(workers, get_context("spawn"), _prepare) as pool:
        for (lesson, exercise, case, _), names in zip(tasks, pool.map(_names_of, tasks, chunksize=8), strict=True):
            judgement = judgements_of[lesson].get((f"{exercise}/{case.name}", names), "unread")
            yield NamedDiagnosis(case, names, judgement if names else "none")


def _judgements(lesson: Lesson) -> dict[tuple[str, str], str]:
    path = lesson.folder / "answers" / "names.txt"
    lines = path.read_text(encoding="utf8").splitlines() if path.is_file() else []
    return dict(_read(line, path, number) for number, line in enumerate(lines, 1) if line and not line.startswith("#"))


def _read(line: str, path: Path, number: int) -> tuple[tuple[str, str], str]:
    parts = [part.strip() for part in line.split(" | ", 2)]  # a name may quote code that contains |
    if len(parts) != 3 or parts[0] not in ("right", "vague", "misleading"):
        raise ValueError(
            f"{path}, line {number}: expected 'right | exercise/case | name' (or vague, or misleading), but got {line!r}."
        )
    return (parts[1], parts[2]), parts[0]


def _prepare() -> None:
    """Limit the memory of a process that runs wrong answers: some build a model of a hundred gigabytes."""
    import torch

    torch.set_num_threads(1)
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))


def _names_of(task: tuple[Lesson, str, Case, Path]) -> str:
    lesson, exercise, case, solutions = task
    return names_of(lesson, exercise, case, files_in(solutions / case.assignment))


def names_of(lesson: Lesson, exercise: str, case: Case, file: Callable[[str], bytes | None] = _HERE) -> str:
    """Return the names in the feedback on a hidden answer, separated by commas."""
    from autograder.checks.execute import NotebookStudent, suppress_output
    from autograder.content.references import namespace
    from autograder.verdict.runner import run_checks

    names = namespace(lesson)
    try:
        # Errors quote the line that raised them.
        linecache.cache[case.name] = len(case.text), None, case.text.splitlines(True), case.name
        with suppress_output():
            exec(compile(case.text, case.name, "exec"), names)
    except Exception as error:
        return f"the cell stops with {type(error).__name__}"
    with hidden_cases(map(str, hidden_half(lesson, exercise))):
        report = run_checks(exercise, NotebookStudent(names, lesson, deep=False, file=file), SEED)
    return ", ".join(report.named)


def print_names(console: Console, diagnoses: Iterable[NamedDiagnosis], unread: bool) -> int:
    """Print how many names of each lesson are right, vague, none or misleading.

    Returns 0 if few enough mislead and few enough are unread.
    """
    diagnoses = list(diagnoses)
    table = Table(title="Names for answers that the diagnosis does not know")
    for title in ("lesson", *JUDGEMENTS):
        table.add_column(title, justify="left" if title == "lesson" else "right")
    for assignment in dict.fromkeys(diagnosis.case.assignment for diagnosis in diagnoses):
        table.add_row(
            assignment, *_counts([diagnosis for diagnosis in diagnoses if diagnosis.case.assignment == assignment])
        )
    table.add_section()
    table.add_row("all", *_counts(diagnoses))
    console.print(table)
    for diagnosis in diagnoses:
        if diagnosis.judgement == "misleading" or (unread and diagnosis.judgement == "unread"):
            console.print(f"{diagnosis.case.assignment}: {diagnosis}", markup=False, highlight=False, soft_wrap=True)
    counts = Counter(diagnosis.judgement for diagnosis in diagnoses)
    return int(counts["misleading"] > MISLEADING * len(diagnoses) or counts["unread"] > UNREAD * len(diagnoses))


def _counts(diagnoses: Sequence[NamedDiagnosis]) -> list[str]:
    counts = Counter(diagnosis.judgement for diagnosis in diagnoses)
    return [f"{counts[judgement]} ({counts[judgement] / max(len(diagnoses), 1):.0%})" for judgement in JUDGEMENTS]


def audit_names(lessons: Sequence[Lesson], workers: int, solutions: Path, unread: bool = False) -> int:
    """Measure the names of these lessons, print the table, and return 0 if few enough mislead and most have been read."""
    return print_names(Console(width=130), diagnose_hidden(lessons, workers, solutions), unread)
