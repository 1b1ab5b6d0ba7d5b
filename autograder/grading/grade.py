"""The one function from a submission to its result."""

import re
from collections.abc import Callable, Iterator, Sequence

from autograder import catalogue, notebooks
from autograder.grading.hosts import Host, Sealed, Trusting
from autograder.grading.result import Output, Result, points_between
from autograder.grading.submission import Submission
from autograder.grading.version import checks_version, environment
from autograder.notebooks import Cell, checked_exercise, defined
from autograder.report import ExerciseReport
from autograder.runner import completed, run_alone
from autograder.sandbox.box import Box
from autograder.sandbox.session import CellResult
from autograder.sandbox.shell import GOES_ON

_NOT_SEALED = (
    "This cell's own assertions were run beside the student's code, as nbgrader does it. "
    "They are not protected against code that is meant to deceive them."
)

#: Colab's own modules are nowhere else, and nothing that is graded needs them.
_EXPECTED = ("No module named 'google'", "No module named 'google.colab'")


def grade(
    submission: Submission,
    seed: int,
    box: Box | None,
    only: Sequence[str] | None = None,
    known: Sequence[str] = (),
    told: Callable[[str], None] = lambda name: None,
) -> Result:
    """Run a submission's cells and its checks, and return the result.

    With ``box`` None the cells run in this process, without a sandbox, and the result says so. ``only`` names the exercises to
    check, and ``known`` those that are known to be right. ``told`` is called with the name of each that has been checked.
    """
    host: Host = (
        Trusting(submission.assignment, submission.files)
        if box is None
        else Sealed(submission.assignment, box, submission.files)
    )
    result = Result(submission.assignment, submission.digest, seed, box is not None, checks_version(), environment())
    try:
        _Grading(submission, host, result, only, told).run(dict.fromkeys(known, True))
    finally:
        host.close()
    return result


class _Grading:
    """One submission being graded: its cells from top to bottom, each check where it stands, and some once more at the end."""

    def __init__(
        self,
        submission: Submission,
        host: Host,
        result: Result,
        only: Sequence[str] | None,
        told: Callable[[str], None],
    ):
        self.submission, self.cells, self.host = submission, submission.cells, host
        self.result, self.only, self.told = result, only, told
        own = catalogue.exercises(submission.assignment) if catalogue.has_checks(submission.assignment) else ()
        self.checked = {n: name for n, cell in enumerate(self.cells) if (name := _exercise(cell)) and name in own}
        self.needed = notebooks.needed_cells(self.cells)
        self.reports: dict[int, ExerciseReport] = {}

    def run(self, full: dict[str, bool]) -> None:
        for number, cell in enumerate(self.cells):
            if number in self.checked:
                self._check(number)
            elif self.needed[number] or (_is_code(cell) and notebooks.is_check(cell)):
                self._run_cell(number, cell)
        for number in self._too_early():
            self._check(number)
        self._complete(full)
        for number, report in self.reports.items():
            self._note_result(number, report)

    def _check(self, number: int) -> None:
        """Check an exercise with what has been defined so far. Of two reports the better one counts."""
        name = self.checked[number]
        if self.only is not None and name not in self.only:
            return
        report, before = run_alone(name, self.host.student(), self.result.seed), self.reports.get(number)
        if before is None or report.earned > before.earned:
            self.reports[number] = report
            if before is not None:
                self.result.notes.append(f"{name}: its check stands above what it needs, and was run again at the end")

    def _complete(self, full: dict[str, bool]) -> None:
        """Check again, with right earlier exercises, what may have lost points because of those, and find causes.

        Only now, and in the lesson's order: hostile code that gets at the right answers it runs beside must find every exercise
        that they would answer judged already.
        """
        full |= {report.exercise: report.full_alone for report in self.reports.values()}
        order = catalogue.exercises(self.submission.assignment) if self.reports else []
        for number, report in sorted(self.reports.items(), key=lambda one: order.index(one[1].exercise)):
            self.reports[number] = completed(report, self.host.student(), full)
            self.told(report.exercise)

    def _too_early(self) -> Iterator[int]:
        """Yield the checks that lost points and below which something is defined that their exercise is made of."""
        for number, report in list(self.reports.items()):
            below = self._defined_below(number)
            own = [
                cell["source"] for cell in self.cells if _is_code(cell) and report.exercise in defined(cell["source"])
            ]
            words = {report.exercise}.union(*(re.findall(r"\w+", text) for text in own))
            if report.earned < report.points and below & words:
                yield number

    def _defined_below(self, number: int) -> set[str]:
        """Return what is defined for the first time, or once more, below a cell, other than by later exercises' stubs."""
        later = range(number + 1, len(self.cells))
        return set().union(*(defined(self.cells[n]["source"]) for n in later if self.needed[n]))

    def _run_cell(self, number: int, cell: Cell) -> None:
        ran = self.host.run(notebooks.source(cell))
        self.result.outputs[number] = _outputs(ran, _points(cell) if notebooks.is_check(cell) else None)
        if notebooks.is_check(cell):
            self.result.scores[notebooks.grade_id(cell)] = (_earned(self.result.outputs[number], cell), _points(cell))
        if ran.error:
            which = notebooks.grade_id(cell) or f"cell number {number + 1}"
            self.result.errors.append((which, f"{ran.error[0]}: {ran.error[1]}"))
            imports = re.search(r"^\s*(import|from)\s", notebooks.source(cell), re.MULTILINE)
            if imports and ran.error[1] not in _EXPECTED:
                more = "; the rest of the cell was run" if ran.error[0] in GOES_ON else ""
                self.result.notes.append(f"{which}, which imports, stopped: {ran.error[0]}: {ran.error[1][:150]}{more}")

    def _note_result(self, number: int, report: ExerciseReport) -> None:
        earned = points_between(report.earned, report.points)
        self.result.exercises.append(as_data(report))
        self.result.scores[notebooks.grade_id(self.cells[number])] = (earned, report.points)
        self.result.outputs[number] = _check_outputs(report, self.result.sealed)


def _is_code(cell: Cell) -> bool:
    return cell.get("cell_type") == "code"


def _exercise(cell: Cell) -> str | None:
    return checked_exercise(notebooks.source(cell)) if _is_code(cell) and notebooks.is_check(cell) else None


def as_data(report: ExerciseReport) -> dict:
    """Return a report as plain data."""
    checks = [
        {
            "name": r.name, "sentence": r.sentence, "points": r.points, "earned": r.earned,
            "failure": str(r.failure or ""), "cause": r.diagnosis.name if r.diagnosis else "",
        }
        for r in report.results
    ]  # fmt: skip
    return {
        "name": report.exercise, "earned": points_between(report.earned, report.points), "points": report.points,
        "seed": report.seed, "named": report.named, "note": report.note, "checks": checks, "text": str(report),
    }  # fmt: skip


def _check_outputs(report: ExerciseReport, sealed: bool) -> list[Output]:
    """The table, and then the one result from which nbgrader reads the points."""
    warning = "" if sealed else "Not sealed: this submission was graded without a sandbox.\n"
    data = {"text/plain": warning + str(report), "text/html": warning + report._repr_html_()}
    value = points_between(report.earned, report.points)
    return [
        {"output_type": "display_data", "metadata": {"autograder": True}, "data": data},
        {"output_type": "execute_result", "metadata": {}, "execution_count": None, "data": {"text/plain": repr(value)}},
    ]


def _points(cell: Cell) -> float:
    return float(cell["metadata"]["nbgrader"].get("points", 0.0))


def _outputs(ran: CellResult, points: float | None) -> list[Output]:
    """A cell's outputs. ``points`` is what a grade cell with assertions of its own is worth, and None for any other cell.

    In a grade cell an error costs the points, what is printed to stderr does not, and a number as the last value is partial
    credit, between 0 and ``points``.
    """
    outputs = [dict(item) for item in ran.outputs]
    if points is not None:
        outputs = [item | {"name": "stdout"} if item["output_type"] == "stream" else item for item in outputs]
        outputs = [
            _partial_credit(item, points) if item["output_type"] == "execute_result" else item for item in outputs
        ]
        note = {"output_type": "display_data", "metadata": {}, "data": {"text/plain": _NOT_SEALED}}
        outputs.append(note)
    if ran.error:
        name, message, trace = ran.error
        if points is not None:  # a traceback shows the lines of hidden tests
            trace = f"{name}: {message}"
        outputs.append({"output_type": "error", "ename": name, "evalue": message, "traceback": trace.splitlines()})
    return outputs


def _earned(outputs: Sequence[Output], cell: Cell) -> float:
    """Return the points that nbgrader reads from the outputs of a grade cell with assertions of its own."""
    if any(item["output_type"] == "error" for item in outputs):
        return 0.0
    values = [item["data"]["text/plain"] for item in outputs if item["output_type"] == "execute_result"]
    return float(values[0]) if values else _points(cell)


def _partial_credit(item: Output, points: float) -> Output:
    """Keep nbgrader from taking a negative number or none at all for full marks."""
    try:
        earned = points_between(float(str(item["data"].get("text/plain"))), points)
    except ValueError:
        return {"output_type": "display_data", "metadata": {}, "data": item["data"]}
    return item | {"data": {"text/plain": repr(earned)}}
