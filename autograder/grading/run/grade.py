"""Grade a submission: run its cells and checks, and limit the size of the outputs.

:func:`grade` is the only entry point. The course's solutions have results of 60 kB; a result may be up to 10 MB.
"""

import contextlib
import json
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from autograder.content import notebook
from autograder.content.lesson import Lesson, Lessons, unknown_student
from autograder.content.notebook import Cell, checked_exercise, defined
from autograder.grading.run.executors import Executor
from autograder.grading.run.result import Output, Result, checks_version, clamp_points, environment
from autograder.grading.submission.model import Submission
from autograder.runtime.errors import UNREADABLE
from autograder.runtime.text import quotation
from autograder.sandbox.inside.shell import GOES_ON
from autograder.sandbox.outside.cell_result import CellResult
from autograder.verdict.report import ExerciseReport
from autograder.verdict.runner import diagnose_failures, recheck_with_references, run_single
from course_lib import variants

#: Colab's own modules exist only there, and no graded code needs them.
_EXPECTED = ("No module named 'google'", "No module named 'google.colab'")
_IMPORTS = re.compile(r"^[^\S\n]*(?:import|from)\s", re.MULTILINE)
#: Python's name for a location in a cell that it cannot parse.
_IN_A_CELL = re.compile(r"\((?:<ipython-input[^<>]*>|\d+\.py), line (\d+)\)")

#: What an earlier Python says of quotes and backslashes in an f-string's brackets, and of two kinds of errors without brackets.
_LATER_PYTHON_SAYS = (
    "f-string",
    "unexpected character after line continuation character",
    "multiple exception types must be parenthesized",
)
#: Syntax of Python 3.12 and later: ``type X = ...``, ``def f[T]`` and ``class C[T]``, template strings.
_LATER_PYTHON = re.compile(
    r"^[^\S\n]*+(?:type[^\S\n]++\w++[^\n=]*+=|(?:async[^\S\n]++)?(?:def|class)[^\S\n]++\w++[^\S\n]*+\[)|\bt[rR]?[\"']",
    re.MULTILINE,
)

#: PyTorch's messages where there is no GPU, and the lines of a notebook that ask for one by its name.
_NO_GPU = re.compile(
    r"not compiled with CUDA|no NVIDIA driver|No CUDA GPUs|not linked with support for mps|MPS backend"
)
_ASKS_FOR_GPU = re.compile(r"^.*(?:cuda|mps).*$", re.MULTILINE)


def grade(
    submission: Submission,
    lessons: Lessons,
    seed: int,
    executor: Executor,
    only: Sequence[str] | None = None,
    known: Sequence[str] = (),
    on_exercise: Callable[[str], None] = lambda name: None,
    causes: bool = True,
    others: Iterable[str] = (),
) -> Result:
    """Run a submission's cells and checks, and return the result.

    The ``executor`` runs the cells and is closed at the end; the result records whether it was sealed. ``only`` names the
    exercises to check, and ``known`` those known to be right. ``on_exercise`` is called with the name of each checked exercise.
    Likely causes are searched for unless ``causes`` is False. ``others`` are the ids of the class: in an exercise with individual
    numbers, an answer may contain those of another student.
    """
    lesson, version = lessons.find(submission.assignment), checks_version(lessons)
    identity = submission.assignment, submission.digest, seed, executor.sealed, version, environment()
    result = Result(*identity, author=submission.author)
    with variants.graded_as(submission.author), contextlib.closing(executor):
        _Grading(submission, lesson, executor, result, only, on_exercise, causes, others).run(
            dict.fromkeys(known, True)
        )
    return result


class _Grading:
    """One submission in progress: its cells from top to bottom, each check in its place, and some checks again at the end."""

    def __init__(
        self,
        submission: Submission,
        lesson: Lesson | None,
        executor: Executor,
        result: Result,
        only: Sequence[str] | None,
        on_exercise: Callable[[str], None],
        causes: bool,
        others: Iterable[str],
    ):
        self.submission, self.cells, self.executor = submission, submission.cells, executor
        self.result, self.only, self.on_exercise, self.causes = result, only, on_exercise, causes
        self.lesson, self.others = lesson, others
        self.exercises = lesson.exercises if lesson else ()
        checks = ((number, _exercise(cell)) for number, cell in enumerate(self.cells))
        self.checked = {number: name for number, name in checks if name in self.exercises}
        self.needed = notebook.dependencies(self.cells)
        self.reports: dict[int, ExerciseReport] = {}
        self.budget = OutputBudget()

    def run(self, full: dict[str, bool]) -> None:
        self.executor.look_ahead(
            notebook.source(cell) for cell, needed in zip(self.cells, self.needed, strict=True) if needed
        )
        for number, cell in enumerate(self.cells):
            if number in self.checked:
                self._check(number)
            elif self.needed[number] or (_is_code(cell) and notebook.is_check(cell)):
                self._run_cell(number, cell)
        for number in list(self._too_early()):
            self.executor.start_again()
            self._check(number, again=True)
        self._complete(full)
        for number, report in self.reports.items():
            self._note_result(number, report)
        self._note_no_points()
        self.result.errors, self.result.notes = self.result.errors[:MOST_LINES], self.result.notes[:MOST_LINES]

    def _check(self, number: int, again: bool = False) -> None:
        """Check an exercise with the definitions so far. Of two reports on it, the better one counts.

        The second check draws other inputs, so that no result that was kept from the first one helps.
        """
        name = self.checked[number]
        if self.only is not None and name not in self.only:
            return
        seed = self.result.seed ^ again
        report, before = run_single(name, self.executor.student(), seed), self.reports.get(number)
        if before is None or report.earned > before.earned:
            self.reports[number] = report
            if before is not None:
                self.result.notes.append(
                    f"{name}: its check comes before cells that it needs, and was run again at the end"
                )

    def _complete(self, full: dict[str, bool]) -> None:
        """Recheck exercises that may have lost points because of wrong earlier ones, with right versions of these; then find
        causes.

        This runs last, and in the lesson's order, because right answers then run beside the student's code: before hostile code
        can read them, the exercises that they answer must have been judged. Causes come after all points: their search may use up
        the remaining time of a slow notebook.
        """
        full |= {report.exercise: report.full_with_own_answers for report in self.reports.values()}
        order = sorted(self.reports, key=lambda number: self.exercises.index(self.checked[number]))
        for number in order:
            self.reports[number] = recheck_with_references(self.reports[number], self.executor.student(), full)
        for number in order:
            if self.causes:
                diagnose_failures(self.reports[number], self.executor.student(), self.others)
            self.on_exercise(self.reports[number].exercise)

    def _too_early(self) -> Iterator[int]:
        """Yield the checks that lost points although a definition used by their exercise comes only below them."""
        for number, report in list(self.reports.items()):
            defined_below = self._defined_below(number)
            own_cells = [
                cell["source"] for cell in self.cells if _is_code(cell) and report.exercise in defined(cell["source"])
            ]
            words = {report.exercise}.union(*(re.findall(r"\w+", text) for text in own_cells))
            if report.earned < report.points and defined_below & words:
                yield number

    def _defined_below(self, number: int) -> set[str]:
        """Return the names that needed cells below a cell define, for the first time or again."""
        later = range(number + 1, len(self.cells))
        return set().union(*(defined(self.cells[n]["source"]) for n in later if self.needed[n]))

    def _run_cell(self, number: int, cell: Cell) -> None:
        result = self.budget.trim(self.executor.run(notebook.source(cell)))
        self.result.outputs[number] = cell_outputs(result, cell_points(cell) if notebook.is_check(cell) else None)
        if notebook.is_check(cell):
            self.result.scores[notebook.grade_id(cell)] = (
                points_in(self.result.outputs[number], cell),
                cell_points(cell),
            )
        if result.error:
            cell_name = notebook.grade_id(cell) or f"cell number {number + 1}"
            message = _IN_A_CELL.sub(r"(line \1 of the cell)", result.error[1])
            self.result.errors.append((cell_name, f"{result.error[0]}: {message}"[:LONGEST_LINE]))
            later = result.error[1].startswith(_LATER_PYTHON_SAYS) or _LATER_PYTHON.search(notebook.source(cell))
            if result.error[0] == "SyntaxError" and later:
                self.result.notes.append(
                    f"{cell_name} cannot be read by Python {platform.python_version()}, with which it is graded; "
                    f"a later one may: {quotation(message[:150])}"
                )
            if _NO_GPU.search(result.error[1]):
                above = "\n".join(
                    notebook.source(code_cell) for code_cell in self.cells[: number + 1] if _is_code(code_cell)
                )
                asks = [quotation(statement[:100]) for statement in _ASKS_FOR_GPU.findall(above)] or [
                    "a statement above"
                ]
                self.result.notes.append(f"{cell_name} stopped, because there is no GPU here: {asks[-1]} asks for one")
            if _IMPORTS.search(notebook.source(cell)) and result.error[1] not in _EXPECTED:
                more = "; the rest of the cell was run" if result.error[0] in GOES_ON else ""
                self.result.notes.append(
                    f"{cell_name}, which imports, stopped: {quotation(f'{result.error[0]}: {result.error[1][:150]}')}{more}"
                )

    def _note_no_points(self) -> None:
        """If no part of the student's work earns points, note the first cell that stopped: it may be the reason."""
        written = [report for report in self.reports.values() if not report.unwritten]
        if self.result.errors and written and not any(report.earned for report in written):
            cell_name, error = self.result.errors[0]
            self.result.notes.append(
                f"no points for {', '.join(report.exercise for report in written)}; {cell_name} stopped: {quotation(error)}"
            )

    def _note_result(self, number: int, report: ExerciseReport) -> None:
        earned = clamp_points(report.earned, report.points)
        if report.right_for:
            self.result.notes.append(f"{report.exercise}: right with the numbers of {report.right_for}")
        if any(result.failure and result.failure.cause == UNREADABLE for result in report.results):
            self.result.notes.append(f"{report.exercise}: its {UNREADABLE}. Was the file cut short on its way?")
        if self.lesson and (unknown := unknown_student(self.lesson, report.exercise)):
            report.note = f"{unknown} {report.note}".strip()
        self.result.exercises.append(report_data(report))
        self.result.scores[notebook.grade_id(self.cells[number])] = (earned, report.points)
        self.result.outputs[number] = check_outputs(report, self.result.sealed)


def _is_code(cell: Cell) -> bool:
    return cell.get("cell_type") == "code"


def _exercise(cell: Cell) -> str | None:
    return checked_exercise(notebook.source(cell)) if _is_code(cell) and notebook.is_check(cell) else None


#: Characters of JSON for the outputs of all cells that were run: text, and pictures in base64.
MOST_OUTPUT = 4_000_000

#: Characters of the report of one exercise, in each of its forms.
MOST_REPORT = 100_000

#: Characters of a message that is listed for a person to read, and the number of such messages.
LONGEST_LINE = 500
MOST_LINES = 100

_DROPPED = "The output of this cell was dropped: the notebook shows more than {:,} characters."


class OutputBudget:
    """The remaining space for the outputs of one submission, in characters of JSON."""

    def __init__(self) -> None:
        self.remaining = MOST_OUTPUT

    def trim(self, result: CellResult) -> CellResult:
        """Return a cell's result, with outputs beyond the budget replaced by a note.

        The error and the first value of an expression are kept, shortened: without them, a grade cell would get full marks.
        """
        outputs = [item for item in result.outputs if self._fits(item)]
        error = result.error if result.error is None or self._fits(result.error) else _shortened(result.error)
        if len(outputs) == len(result.outputs) and error == result.error:
            return result
        first = next((item for item in result.outputs if item["output_type"] == "execute_result"), None)
        if first is not None and first not in outputs:
            text = str(first["data"].get("text/plain", "")).strip()[:40]
            outputs.insert(0, first | {"data": {"text/plain": text}})
        return replace(result, outputs=[*outputs, _note(_DROPPED.format(MOST_OUTPUT))], error=error)

    def _fits(self, item: object) -> bool:
        size = len(json.dumps(item))
        if size > self.remaining:
            return False
        self.remaining -= size
        return True


def _shortened(error: tuple[str, str, str]) -> tuple[str, str, str]:
    name, message, _ = error
    return name, message[:LONGEST_LINE], f"{name}: {message[:LONGEST_LINE]}"


def _note(text: str) -> Output:
    return {"output_type": "display_data", "metadata": {}, "data": {"text/plain": text}}


def report_text(text: str) -> str:
    """Return a report's text, truncated at its limit."""
    return text if len(text) <= MOST_REPORT else text[:MOST_REPORT] + "\n… The rest of this report was dropped."


_NOT_SEALED = (
    "This cell's own assertions were run beside the student's code, as nbgrader does it. "
    "They are not protected against code that is meant to deceive them."
)


def report_data(report: ExerciseReport) -> dict:
    """Return a report as plain data."""
    checks = [
        {
            "name": r.name,
            "sentence": r.sentence,
            "points": r.points,
            "earned": r.earned,
            "failure": str(r.failure or "")[: 4 * LONGEST_LINE],
            "cause": r.diagnosis.name if r.diagnosis else "",
        }
        for r in report.results
    ]
    return {
        "name": report.exercise,
        "earned": clamp_points(report.earned, report.points),
        "points": report.points,
        "seed": report.seed,
        "named": [name[:LONGEST_LINE] for name in report.named],
        "note": report.note,
        "checks": checks,
        "text": report_text(str(report)),
    }


def check_outputs(report: ExerciseReport, sealed: bool) -> list[Output]:
    """Return the table, followed by the only value, from which nbgrader reads the points."""
    warning = "" if sealed else "Not sealed: this submission was graded without a sandbox.\n"
    data = {"text/plain": warning + report_text(str(report))}
    if len(table := report._repr_html_()) <= MOST_REPORT:  # half a table is none
        data["text/html"] = warning + table
    value = clamp_points(report.earned, report.points)
    return [
        {"output_type": "display_data", "metadata": {"autograder": True}, "data": data},
        {"output_type": "execute_result", "metadata": {}, "execution_count": None, "data": {"text/plain": repr(value)}},
    ]


def cell_points(cell: Cell) -> float:
    return float(cell["metadata"]["nbgrader"].get("points", 0.0))


def cell_outputs(result: CellResult, points: float | None) -> list[Output]:
    """Return a cell's outputs. ``points`` is the maximum of a grade cell with its own assertions, and None for any other cell.

    In a grade cell an error costs the points, output on stderr does not, and a number as the last value is partial
    credit, between 0 and ``points``.
    """
    outputs = [dict(item) for item in result.outputs]
    if points is not None:
        outputs = [item | {"name": "stdout"} if item["output_type"] == "stream" else item for item in outputs]
        outputs = [
            _partial_credit(item, points) if item["output_type"] == "execute_result" else item for item in outputs
        ]
        outputs.append(_note(_NOT_SEALED))
    if result.error:
        name, message, trace = result.error
        if points is not None:  # a traceback would reveal the lines of hidden tests
            trace = f"{name}: {message}"
        outputs.append({"output_type": "error", "ename": name, "evalue": message, "traceback": trace.splitlines()})
    return outputs


def points_in(outputs: Sequence[Output], cell: Cell) -> float:
    """Return the points that nbgrader reads from the outputs of a grade cell with its own assertions."""
    if any(item["output_type"] == "error" for item in outputs):
        return 0.0
    values = [item["data"]["text/plain"] for item in outputs if item["output_type"] == "execute_result"]
    return float(values[0]) if values else cell_points(cell)


def _partial_credit(item: Output, points: float) -> Output:
    """Limit partial credit to its range, and drop a last value that is not a number: nbgrader would read either as full marks."""
    try:
        earned = clamp_points(float(str(item["data"].get("text/plain"))), points)
    except ValueError:
        return {"output_type": "display_data", "metadata": {}, "data": item["data"]}
    return item | {"data": {"text/plain": repr(earned)}}
