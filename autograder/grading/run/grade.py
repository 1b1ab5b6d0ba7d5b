"""The only function that grades a submission."""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from autograder.content import notebook
from autograder.content.lesson import Lesson, Lessons, unknown_student
from autograder.content.notebook import Cell, checked_exercise, defined
from autograder.grading.run.executors import Executor
from autograder.grading.run.outputs import (
    LONGEST_LINE,
    OutputBudget,
    as_data,
    cell_outputs,
    check_outputs,
    earned,
    first_ones,
    points,
)
from autograder.grading.run.result import Result, checks_version, environment, progress_points
from autograder.grading.submission.model import Submission
from autograder.sandbox.inside.shell import GOES_ON
from autograder.verdict.report import ExerciseReport
from autograder.verdict.runner import diagnose_failures, recheck_with_references, run_single
from course_lib import variants

#: Colab's own modules exist only there, and no graded code needs them.
_EXPECTED = ("No module named 'google'", "No module named 'google.colab'")
_IMPORTS = re.compile(r"^[^\S\n]*(?:import|from)\s", re.MULTILINE)
#: How Python names a place in a cell that it cannot parse.
_IN_A_CELL = re.compile(r"\((?:<ipython-input[^<>]*>|\d+\.py), line (\d+)\)")

#: What PyTorch says where there is no GPU, and the lines of a notebook that ask for one by its name.
_NO_GPU = re.compile(
    r"not compiled with CUDA|no NVIDIA driver|No CUDA GPUs|not linked with support for mps|MPS backend"
)
_ASKS_FOR_GPU = re.compile(r"^.*(?:cuda|mps).*$", re.MULTILINE)


def grade(
    submission: Submission,
    lessons: Lessons,
    seed: int,
    host: Executor,
    only: Sequence[str] | None = None,
    known: Sequence[str] = (),
    on_exercise: Callable[[str], None] = lambda name: None,
    causes: bool = True,
    others: Iterable[str] = (),
) -> Result:
    """Run a submission's cells and its checks, and return the result.

    The ``host`` runs the cells and is closed at the end; the result says whether it is sealed. ``only`` names the exercises to
    check, and ``known`` those that are known to be right. ``on_exercise`` is called with the name of each exercise once it is
    checked. Likely causes are looked for unless ``causes`` is False; ``others`` are the ids of the class, whose numbers
    an answer may have where each student has numbers of their own. Those of the submission's author are the right ones.
    """
    lesson, version = lessons.find(submission.assignment), checks_version(lessons)
    about = submission.assignment, submission.digest, seed, host.sealed, version, environment()
    result = Result(*about, author=submission.author)
    with variants.graded_as(submission.author), contextlib.closing(host):
        _Grading(submission, lesson, host, result, only, on_exercise, causes, others).run(dict.fromkeys(known, True))
    return result


class _Grading:
    """One submission being graded: its cells from top to bottom, each check in its place, and some again at the end."""

    def __init__(
        self,
        submission: Submission,
        lesson: Lesson | None,
        host: Executor,
        result: Result,
        only: Sequence[str] | None,
        on_exercise: Callable[[str], None],
        causes: bool,
        others: Iterable[str],
    ):
        self.submission, self.cells, self.host = submission, submission.cells, host
        self.result, self.only, self.on_exercise, self.causes = result, only, on_exercise, causes
        self.lesson, self.others = lesson, others
        self.exercises = lesson.exercises if lesson else ()
        checks = ((number, _exercise(cell)) for number, cell in enumerate(self.cells))
        self.checked = {number: name for number, name in checks if name in self.exercises}
        self.needed = notebook.dependencies(self.cells)
        self.reports: dict[int, ExerciseReport] = {}
        self.room = OutputBudget()

    def run(self, full: dict[str, bool]) -> None:
        self.host.look_ahead(
            notebook.source(cell) for cell, needed in zip(self.cells, self.needed, strict=True) if needed
        )
        for number, cell in enumerate(self.cells):
            if number in self.checked:
                self._check(number)
            elif self.needed[number] or (_is_code(cell) and notebook.is_check(cell)):
                self._run_cell(number, cell)
        for number in self._too_early():
            self._check(number)
        self._complete(full)
        for number, report in self.reports.items():
            self._note_result(number, report)
        self.result.errors, self.result.notes = first_ones(self.result.errors), first_ones(self.result.notes)

    def _check(self, number: int) -> None:
        """Check an exercise with the definitions so far. Of two reports, the better one counts."""
        name = self.checked[number]
        if self.only is not None and name not in self.only:
            return
        report, before = run_single(name, self.host.student(), self.result.seed), self.reports.get(number)
        if before is None or report.earned > before.earned:
            self.reports[number] = report
            if before is not None:
                self.result.notes.append(f"{name}: its check stands above what it needs, and was run again at the end")

    def _complete(self, full: dict[str, bool]) -> None:
        """Recheck with right earlier exercises the ones that may have lost points because of those, and then find causes.

        This runs last, and in the lesson's order, because right answers then run beside the student's code. When hostile code
        reads them, the exercises that they answer must have been judged already. Causes come after all points: the search for
        them may use up what a slow notebook has left of its time.
        """
        full |= {report.exercise: report.full_with_own_answers for report in self.reports.values()}
        order = sorted(self.reports, key=lambda number: self.exercises.index(self.checked[number]))
        for number in order:
            self.reports[number] = recheck_with_references(self.reports[number], self.host.student(), full)
        for number in order:
            if self.causes:
                diagnose_failures(self.reports[number], self.host.student(), self.others)
            self.on_exercise(self.reports[number].exercise)

    def _too_early(self) -> Iterator[int]:
        """Yield the checks that lost points although a definition that their exercise uses comes only below them."""
        for number, report in list(self.reports.items()):
            below = self._defined_below(number)
            own = [
                cell["source"] for cell in self.cells if _is_code(cell) and report.exercise in defined(cell["source"])
            ]
            words = {report.exercise}.union(*(re.findall(r"\w+", text) for text in own))
            if report.earned < report.points and below & words:
                yield number

    def _defined_below(self, number: int) -> set[str]:
        """Return the names defined in the needed cells below a cell, new or again."""
        later = range(number + 1, len(self.cells))
        return set().union(*(defined(self.cells[n]["source"]) for n in later if self.needed[n]))

    def _run_cell(self, number: int, cell: Cell) -> None:
        ran = self.room.kept(self.host.run(notebook.source(cell)))
        self.result.outputs[number] = cell_outputs(ran, points(cell) if notebook.is_check(cell) else None)
        if notebook.is_check(cell):
            self.result.scores[notebook.grade_id(cell)] = (earned(self.result.outputs[number], cell), points(cell))
        if ran.error:
            which = notebook.grade_id(cell) or f"cell number {number + 1}"
            message = _IN_A_CELL.sub(r"(line \1 of the cell)", ran.error[1])
            self.result.errors.append((which, f"{ran.error[0]}: {message}"[:LONGEST_LINE]))
            if _NO_GPU.search(ran.error[1]):
                above = "\n".join(notebook.source(each) for each in self.cells[: number + 1] if _is_code(each))
                statement = (_ASKS_FOR_GPU.findall(above) or ["a statement above"])[-1].strip()[:100]
                self.result.notes.append(f"{which} stopped, because there is no GPU here: {statement} asks for one")
            if _IMPORTS.search(notebook.source(cell)) and ran.error[1] not in _EXPECTED:
                more = "; the rest of the cell was run" if ran.error[0] in GOES_ON else ""
                self.result.notes.append(f"{which}, which imports, stopped: {ran.error[0]}: {ran.error[1][:150]}{more}")

    def _note_result(self, number: int, report: ExerciseReport) -> None:
        earned = progress_points(report.earned, report.points)
        if report.right_for:
            self.result.notes.append(f"{report.exercise}: right with the numbers of {report.right_for}")
        if self.lesson and (unknown := unknown_student(self.lesson, report.exercise)):
            report.note = f"{unknown} {report.note}".strip()
        self.result.exercises.append(as_data(report))
        self.result.scores[notebook.grade_id(self.cells[number])] = (earned, report.points)
        self.result.outputs[number] = check_outputs(report, self.result.sealed)


def _is_code(cell: Cell) -> bool:
    return cell.get("cell_type") == "code"


def _exercise(cell: Cell) -> str | None:
    return checked_exercise(notebook.source(cell)) if _is_code(cell) and notebook.is_check(cell) else None
