"""The result of one exercise, as a table in the notebook and as plain text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from autograder.runtime.errors import CheckFailure, Diagnosis
from autograder.runtime.student import Exchange
from autograder.verdict import html

#: Names of the marks for screen readers.
SPOKEN = {"✓": "passed", "✗": "failed", "~": "passed in part", "!": "advice"}


@dataclass
class CheckResult:
    """The result of one check: the property as a sentence, its points, and its failure, if any."""

    name: str
    sentence: str
    points: float
    earned: float
    failure: CheckFailure | None = None
    diagnosis: Diagnosis | None = None
    printed: str = ""
    exchange: Exchange | None = None
    measured: str = ""  # in a check that passed: what was measured, and what was required
    imprecise: CheckFailure | None = None  # what a constant in float32 explains; it costs once in an exercise

    @property
    def passed(self) -> bool:
        return self.failure is None

    @property
    def mark(self) -> str:
        if self.passed:
            return "✓"
        if self.points == 0:
            return "!"
        return "~" if self.earned else "✗"

    @property
    def score(self) -> str:
        """The points as text, such as ``1 of 2``."""
        return f"{self.earned:g} of {self.points:g}" if self.points else "advice"


def is_repeat(result: CheckResult, failure: CheckFailure, explained: set[str]) -> str:
    """Return the sentence that replaces an earlier explanation, or "" after adding this explanation to ``explained``."""
    key = result.diagnosis.name if result.diagnosis else f"{failure.message}\n{failure.yours}"
    repeated = key in explained
    explained |= {key, failure.yours}
    if not repeated:
        return ""
    return f"Same cause as above: {result.diagnosis.name}." if result.diagnosis else "The same as above."


_EDGES = {"✓": html.RIGHT, "✗": html.WRONG, "~": html.PART, "!": html.ADVICE}


def heading(exercise: str, score: str, seed: int | None) -> str:
    """Return the line above the results: the exercise, its points, and the seed for repeating them."""
    more = f" &nbsp; <small>seed {seed}</small>" if seed is not None else ""
    return f"<b>{escape(exercise)}</b> &nbsp; {escape(score)}{more}"


def results_table(caption: str, results: Iterable[CheckResult]) -> str:
    """Return the table: a row for each property, followed by an explanation if it failed."""
    rows, explained = list(results), set[str]()
    printed = _with_output(rows)
    return html.table(caption, ("property", "points"), (_rows(result, explained, result is printed) for result in rows))


def _with_output(results: Sequence[CheckResult]) -> CheckResult | None:
    """Return the result with the output to show: the first failed one that has any output, or else the first one."""
    printing = [result for result in results if result.printed]
    return next((result for result in printing if not result.passed), printing[0] if printing else None)


def _rows(result: CheckResult, explained: set[str], with_output: bool) -> str:
    edge = _EDGES[result.mark]
    sentence = f"{html.for_screen_reader(result.mark, SPOKEN[result.mark])} {html.with_code(result.sentence)}"
    detail = _failure(result, result.failure, explained) if result.failure else ""
    if result.passed and result.measured:
        detail += f"<small>{html.with_code(result.measured)}</small>"
    if with_output:
        printed = f'<pre style="white-space:pre-wrap;overflow-wrap:anywhere">{escape(result.printed)}</pre>'
        detail += html.collapsible("Your code printed", printed)
    below = html.spanning_row(f'<div style="padding-left:1.2em">{detail}</div>', 2, edge) if detail else ""
    return html.row(sentence, escape(result.score), edge=edge) + below


def _failure(result: CheckResult, failure: CheckFailure, explained: set[str]) -> str:
    """Return the likely cause, followed by the numbers and the picture as evidence."""
    numbers = "".join(
        f'<div style="white-space:pre-wrap;overflow-wrap:anywhere"><code>{escape(line)}</code></div>'
        for line in failure.lines()
    )
    numbers += failure.picture.html() if failure.picture else ""
    if same := is_repeat(result, failure, explained):
        return html.collapsible(same, numbers)
    return (_cause_in_html(result.diagnosis) if result.diagnosis else "") + numbers


def _cause_in_html(diagnosis: Diagnosis) -> str:
    """Return the cause in three steps: the effect and, collapsed, the reason and the place to look."""
    effect, reason, place = (html.with_code(step) for step in diagnosis.steps())
    first = f"<div><b>Likely cause: {escape(diagnosis.name)}.</b></div><div>{effect}</div>"
    more = "".join(
        html.collapsible(title, f"<div>{text}</div>")
        for title, text in (("Why?", reason), ("Where to look", place))
        if text
    )
    return f'<div style="margin:0.2em 0 0.6em">{first}{more}</div>'


_WIDTH = 78


@dataclass
class ExerciseReport:
    """All checks of one exercise. ``earned`` is a plain finite float between 0 and ``points``."""

    exercise: str
    seed: int
    results: list[CheckResult] = field(default_factory=list)
    note: str = ""
    replaced: Sequence[str] = ()  # earlier exercises that right versions have replaced
    since: str = ""  # in a notebook, the changes since its last check
    right_for: str | None = None  # another id whose numbers make the answer right; the empty one is nobody's
    optional: bool = False

    @property
    def points(self) -> float:
        return float(sum(result.points for result in self.results))

    @property
    def earned(self) -> float:
        return float(sum(result.earned for result in self.results))

    @property
    def full(self) -> bool:
        """True if every point is earned."""
        return self.earned == self.points

    @property
    def full_with_own_answers(self) -> bool:
        """True if every point is earned without right versions of earlier exercises."""
        return self.full and not self.note

    @property
    def named(self) -> list[str]:
        """The distinct causes that the feedback names."""
        failures = [(r.diagnosis, r.failure) for r in self.results if r.failure]
        names = [diagnosis.name if diagnosis else failure.cause for diagnosis, failure in failures]
        return list(dict.fromkeys(name for name in names if name))

    @property
    def unwritten(self) -> bool:
        """True if the student has not begun: every failure comes from the stub."""
        failures = [result.failure for result in self.results if result.failure]
        return bool(failures) and all(failure.kind in ("unwritten", "missing") for failure in failures)

    @property
    def missing(self) -> bool:
        """True if there is nothing to check: no cell that has run defines the exercise."""
        return self.unwritten and all(result.failure.kind == "missing" for result in self.results if result.failure)

    @property
    def title(self) -> str:
        """The exercise, with a mark if it is optional."""
        return f"{self.exercise} (optional)" if self.optional else self.exercise

    @property
    def score(self) -> str:
        """The points as text, such as ``4 of 6 points``."""
        return f"{self.earned:g} of {self.points:g} points"

    def shown(self) -> list[CheckResult]:
        """Return the results to show: all but advice (no points) that passes."""
        return [result for result in self.results if result.points or not result.passed]

    def __str__(self) -> str:
        lines = [f"{self.title:<{_WIDTH - len(self.score)}}{self.score}"]
        lines += [line for line in (self.note, self.since) if line]
        if self.unwritten:
            first = next(r.failure for r in self.results if r.failure)
            return "\n".join([*lines, f"○ {first.message}", *([f"    {first.hint}"] if first.hint else [])])
        explained: set[str] = set()
        printed = _with_output(self.shown())
        for result in self.shown():
            lines += _text_rows(result, explained)
            lines += _printed_rows(result.printed) if result is printed else []
        lines += [f"seed {self.seed}"] if any(not r.passed for r in self.results) else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        failed = any(not r.passed for r in self.results)
        head = heading(self.title, self.score, self.seed if failed else None)
        notes = "".join(f"<div>{html.with_code(line)}</div>" for line in (self.note, self.since) if line)
        if self.unwritten:
            first = next(r.failure for r in self.results if r.failure)
            return f"<p>{head}</p>{notes}<p>○ {escape(first.message)} {escape(first.hint)}</p>"
        return results_table(head + notes, self.shown())

    def __repr__(self) -> str:
        return str(self)


def _text_rows(result: CheckResult, explained: set[str]) -> list[str]:
    score = result.score
    room = _WIDTH - 2 - len(score)
    fits = len(result.sentence) < room
    rows = [
        f"{result.mark} {result.sentence:<{room}}{score}"
        if fits
        else f"{result.mark} {result.sentence}\n{score:>{_WIDTH}}"
    ]
    if result.failure:
        rows += [f"    {line}" for line in _explanation(result, result.failure, explained)]
    rows += [f"    {result.measured}"] if result.passed and result.measured else []
    return rows


def _printed_rows(printed: str) -> list[str]:
    """Return the output of the code. A bar precedes each further line, so that none can look like a line of the report."""
    first, *rest = printed.splitlines() or [""]
    return [f"    your code printed: {first}", *(f"    │ {line}" for line in rest)]


def _explanation(result: CheckResult, failure: CheckFailure, explained: set[str]) -> list[str]:
    """Return the full explanation, or for a repeated cause only the inputs and an error not shown yet."""
    error = failure.yours if failure.kind == "crash" and failure.yours not in explained else ""
    if same := is_repeat(result, failure, explained):
        return [line for line in (failure.setting, error, same) if line]
    picture = [f"  {line}" for line in failure.picture.text().splitlines()] if failure.picture else []
    return [*_cause(result), *failure.lines(), *picture]


def _cause(result: CheckResult) -> list[str]:
    if result.diagnosis is None:
        return []
    effect, reason, place = result.diagnosis.steps()
    return [line for line in (f"Likely cause: {result.diagnosis.name}.", effect, reason, place) if line]
