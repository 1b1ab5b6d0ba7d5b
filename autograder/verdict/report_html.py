"""The result of one exercise as an HTML table."""

from collections.abc import Iterable
from html import escape

from autograder.runtime.failure import CheckFailure, Diagnosis
from autograder.verdict import markup
from autograder.verdict.check_result import SPOKEN, CheckResult, told_before

_EDGES = {"✓": markup.RIGHT, "✗": markup.WRONG, "~": markup.PART, "!": markup.ADVICE}


def heading(exercise: str, score: str, seed: int | None) -> str:
    """Return the line above the results: the exercise, its points, and the seed with which to repeat them."""
    more = f" &nbsp; <small>seed {seed}</small>" if seed is not None else ""
    return f"<b>{escape(exercise)}</b> &nbsp; {escape(score)}{more}"


def results_table(caption: str, results: Iterable[CheckResult]) -> str:
    """Return the table: a row for each property, and below a failed one what can be said about it."""
    told: set[str] = set()
    return markup.table(caption, ("property", "points"), (_rows(result, told) for result in results))


def _rows(result: CheckResult, told: set[str]) -> str:
    edge = _EDGES[result.mark]
    sentence = f"{markup.spoken(result.mark, SPOKEN[result.mark])} {markup.with_code(result.sentence)}"
    detail = _failure(result, result.failure, told) if result.failure else ""
    if result.printed:
        printed = f'<pre style="white-space:pre-wrap;overflow-wrap:anywhere">{escape(result.printed)}</pre>'
        detail += markup.folded("Your code printed", printed)
    below = markup.whole_row(f'<div style="padding-left:1.2em">{detail}</div>', 2, edge) if detail else ""
    return markup.row(sentence, escape(result.score), edge=edge) + below


def _failure(result: CheckResult, failure: CheckFailure, told: set[str]) -> str:
    """Return the likely cause, and then the numbers and the picture that show it."""
    numbers = "".join(
        f'<div style="white-space:pre-wrap;overflow-wrap:anywhere"><code>{escape(line)}</code></div>'
        for line in failure.lines()
    )
    numbers += failure.picture.html() if failure.picture else ""
    if same := told_before(result, failure, told):
        return markup.folded(same, numbers)
    return (_cause_in_html(result.diagnosis) if result.diagnosis else "") + numbers


def _cause_in_html(diagnosis: Diagnosis) -> str:
    """Return the cause in three steps: what happens, and folded, why it does and where to look."""
    what, why, where = (markup.with_code(part) for part in diagnosis.steps())
    first = f"<div><b>Likely cause: {escape(diagnosis.name)}.</b></div><div>{what}</div>"
    more = "".join(
        markup.folded(title, f"<div>{text}</div>") for title, text in (("Why?", why), ("Where to look", where)) if text
    )
    return f'<div style="margin:0.2em 0 0.6em">{first}{more}</div>'
