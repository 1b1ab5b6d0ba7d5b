"""What has changed since an exercise was last checked."""

from autograder.notebook.history import Entry
from autograder.verdict.report import ExerciseReport


def since(before: Entry | None, report: ExerciseReport, text: str) -> str:
    """Return one or two sentences on what has changed since an exercise was last checked; empty if there is nothing to say.

    ``text`` is the cell that defines the exercise now.
    """
    if before is None or report.unwritten or "raise NotImplementedError(" in before.text:
        return ""
    told = {result.name: result.sentence for result in report.shown() if result.points}
    now = {result.name: result.passed for result in report.results if result.points}
    mended = [told[name] for name, passes in now.items() if passes and before.passed.get(name) is False]
    broken = [told[name] for name, passes in now.items() if not passes and before.passed.get(name) is True]
    changed = bool(text) and text != before.text
    if not mended and not broken:
        same = before.earned == report.earned and not report.full
        return "Your last change altered no line of this table." if changed and same else ""
    what = "Your last change" if changed else "Since the last check, something else than this cell"
    parts = [f"{verb} {_list(lines)}" for verb, lines in (("mended", mended), ("broke", broken)) if lines]
    return f"{what} {' and '.join(parts)}."


def _list(sentences: list[str]) -> str:
    shown = "; ".join(f"“{sentence}”" for sentence in sentences[:3])
    return shown + (f" and {len(sentences) - 3} more" if len(sentences) > 3 else "")
