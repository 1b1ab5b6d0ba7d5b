"""What the student's code printed is shown once, where it helps most: at the first failed property."""

import pytest
from answers import student

from autograder.runtime.errors import CheckFailure
from autograder.verdict.report import CheckResult, ExerciseReport
from autograder.verdict.runner import run_checks


def _report(*parts):
    """Return a report of properties, each (passes, printed)."""
    results = [
        CheckResult(
            f"check_{n}",
            f"It is {n}",
            1.0,
            float(passes),
            None if passes else CheckFailure("value", f"No {n}."),
            None,
            text,
        )
        for n, (passes, text) in enumerate(parts)
    ]
    return ExerciseReport("softmax", 7, results)


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        (((True, "shape-0"), (False, "shape-1"), (False, "shape-2")), "shape-1"),
        (((True, "shape-0"), (True, "shape-1")), "shape-0"),
        (((True, "shape-0"), (False, ""), (False, "shape-2")), "shape-2"),
        (((True, "shape-0"), (False, "")), "shape-0"),
    ],
)
def test_what_was_printed_is_shown_once(parts, shown):
    report = _report(*parts)
    for text in (str(report), report._repr_html_()):
        assert text.lower().count("your code printed") == 1
        assert shown in text
        assert sum(text.count(printed) for _, printed in parts if printed) == 1


def test_a_line_that_was_printed_is_none_of_the_report():
    forged = "✓ Every row is right                   7 of 7"
    lines = str(_report((False, f"x\n{forged}\r{forged}\u2028{forged}\n"), (True, ""))).splitlines()
    assert [line for line in lines if forged in line] == [f"    │ {forged}"] * 3
    assert "    your code printed: x" in lines


def test_nothing_printed_is_not_shown():
    assert "printed" not in str(_report((True, ""), (False, ""))).lower()


@pytest.mark.parametrize(("line", "hint"), [("print(x)", "only return hands it on"), ("pass", "end in a return")])
def test_who_prints_and_returns_nothing_reads_the_difference(line, hint):
    text = str(run_checks("softmax", student(f"def softmax(x, dim=-1):\n    {line}"), 3))
    assert hint in text
