"""The result of one exercise, as a table in the notebook and as plain text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from autograder.judging.failure import CheckFailure, Diagnosis
from autograder.judging.student import Exchange

_WIDTH = 78


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


@dataclass
class ExerciseReport:
    """All checks of one exercise. ``earned`` is a plain finite float between 0 and ``points``."""

    exercise: str
    seed: int
    results: list[CheckResult] = field(default_factory=list)
    note: str = ""
    replaced: Sequence[str] = ()  # earlier exercises in whose place were right ones

    @property
    def points(self) -> float:
        return float(sum(result.points for result in self.results))

    @property
    def earned(self) -> float:
        return float(sum(result.earned for result in self.results))

    @property
    def full(self) -> bool:
        """Whether every point is earned."""
        return self.earned == self.points

    @property
    def full_alone(self) -> bool:
        """Whether every point is earned without replacing any of the student's earlier exercises."""
        return self.full and not self.note

    @property
    def named(self) -> list[str]:
        """The misconceptions that the feedback names, each once."""
        failures = [(r.diagnosis, r.failure) for r in self.results if r.failure]
        names = [diagnosis.name if diagnosis else failure.cause for diagnosis, failure in failures]
        return list(dict.fromkeys(name for name in names if name))

    @property
    def unwritten(self) -> bool:
        """Whether the student has not begun: every failure comes from the stub."""
        failures = [result.failure for result in self.results if result.failure]
        return bool(failures) and all(failure.kind in ("unwritten", "missing") for failure in failures)

    def shown(self) -> list[CheckResult]:
        """The results worth a line: advice (no points) is shown only when there is something to say."""
        return [result for result in self.results if result.points or not result.passed]

    def __str__(self) -> str:
        score = f"{self.earned:g} of {self.points:g} points"
        lines = [f"{self.exercise:<{_WIDTH - len(score)}}{score}"]
        if self.unwritten:
            first = next(r.failure for r in self.results if r.failure)
            lines += [self.note] if self.note else []
            return "\n".join([*lines, f"○ {first.message}", *([f"    {first.hint}"] if first.hint else [])])
        lines += [self.note] if self.note else []
        told: set[str] = set()
        for result in self.shown():
            lines += _text_rows(result, told)
        lines += [f"seed {self.seed}"] if any(not r.passed for r in self.results) else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = (
            f"<p><b>{escape(self.exercise)}</b> &nbsp; {self.earned:g} of {self.points:g} points"
            + (f" &nbsp; <small>seed {self.seed}</small>" if any(not r.passed for r in self.results) else "")
            + "</p>"
        )
        head += f"<p>{escape(self.note)}</p>" if self.note else ""
        if self.unwritten:
            first = next(r.failure for r in self.results if r.failure)
            return f"{head}<p>○ {escape(first.message)} {escape(first.hint)}</p>"
        told: set[str] = set()
        rows = "".join(_html_row(result, told) for result in self.shown())
        return f'{head}<table style="text-align:left;border-collapse:collapse">{rows}</table>'

    def __repr__(self) -> str:
        return str(self)


def _score(result: CheckResult) -> str:
    return f"{result.earned:g} of {result.points:g}" if result.points else "advice"


def _text_rows(result: CheckResult, told: set[str]) -> list[str]:
    score = _score(result)
    room = _WIDTH - 2 - len(score)
    fits = len(result.sentence) < room
    rows = [
        f"{result.mark} {result.sentence:<{room}}{score}"
        if fits
        else f"{result.mark} {result.sentence}\n{score:>{_WIDTH}}"
    ]
    if result.failure:
        rows += [f"    {line}" for line in _explanation(result, result.failure, told)]
    rows += [f"    your code printed: {result.printed}"] if result.printed else []
    return rows


def _explanation(result: CheckResult, failure: CheckFailure, told: set[str]) -> list[str]:
    """Return the full explanation the first time; for a later failure with the same cause, only the place and a new error."""
    error = failure.yours if failure.kind == "crash" and failure.yours not in told else ""
    if same := _told_before(result, failure, told):
        return [line for line in (failure.setting, error, same) if line]
    picture = [f"  {line}" for line in failure.picture.text().splitlines()] if failure.picture else []
    return [*failure.lines(), *picture, *_cause(result)]


def _told_before(result: CheckResult, failure: CheckFailure, told: set[str]) -> str:
    """Return the sentence that stands for an explanation that was given above, empty if it was not; remember this one."""
    key = result.diagnosis.name if result.diagnosis else f"{failure.message}\n{failure.yours}"
    known = key in told
    told |= {key, failure.yours}
    if not known:
        return ""
    return f"Same cause as above: {result.diagnosis.name}." if result.diagnosis else "The same as above."


def _cause(result: CheckResult) -> list[str]:
    if result.diagnosis is None:
        return []
    what, why, where = result.diagnosis.steps()
    return [line for line in (f"Likely cause: {result.diagnosis.name}.", what, why, where) if line]


def _html_row(result: CheckResult, told: set[str]) -> str:
    colour = {"✓": "#0072b2", "✗": "#d55e00", "~": "#cc79a7", "!": "#e69f00"}[result.mark]
    detail = _html_failure(result, result.failure, told) if result.failure else ""
    if result.printed:
        detail += f"<details><summary>Your code printed</summary><pre>{escape(result.printed)}</pre></details>"
    return (
        '<tr style="background:transparent;vertical-align:top">'
        f'<td style="color:{colour};font-size:120%;padding:2px 8px">{result.mark}</td>'
        f'<td style="text-align:left;padding:2px 8px;max-width:60em">{_with_code(result.sentence)}{detail}</td>'
        f'<td style="text-align:right;white-space:nowrap;padding:2px 8px">{_score(result)}</td></tr>'
    )


def _with_code(sentence: str) -> str:
    """Escape a sentence and format text between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(sentence))


def _html_failure(result: CheckResult, failure: CheckFailure, told: set[str]) -> str:
    numbers = "".join(
        f'<div style="white-space:pre-wrap"><code>{escape(line)}</code></div>' for line in failure.lines()
    )
    numbers += failure.picture.html() if failure.picture else ""
    if same := _told_before(result, failure, told):
        return f"<details><summary>{escape(same)}</summary>{numbers}</details>"
    return numbers + (_html_cause(result.diagnosis) if result.diagnosis else "")


def _html_cause(diagnosis: Diagnosis) -> str:
    """Return the cause in three steps: what happens, and folded, why it does and where to look."""
    what, why, where = (_with_code(part) for part in diagnosis.steps())
    first = f"<div>Likely cause: {escape(diagnosis.name)}.</div><div>{what}</div>"
    more = "".join(
        f"<details><summary>{title}</summary><div>{text}</div></details>"
        for title, text in (("Why?", why), ("Where to look", where))
        if text
    )
    return f'<div style="margin:0.4em 0 0.6em"><b>{first}</b>{more}</div>'
