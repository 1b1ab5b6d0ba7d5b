"""The history of checks: what it keeps, what it survives, and what it says of the last change."""

import json

import pytest
import torch  # noqa: F401

from autograder.notebook import history
from autograder.notebook.history import Entry, History
from autograder.notebook.session import describe_changes
from autograder.runtime.errors import CheckFailure
from autograder.verdict.report import CheckResult, ExerciseReport


def report(**passed):
    """A report with one check a keyword, worth two points each."""
    results = [
        CheckResult(name, f"It is {name}", 2.0, 2.0 if good else 0.0, None if good else CheckFailure("value", "wrong"))
        for name, good in passed.items()
    ]
    return ExerciseReport("softmax", 7, results)


def entry(text="old", time=1.0, **passed):
    return Entry("softmax", time, "a", 2.0 * sum(passed.values()), 2.0 * len(passed), text, passed)


def test_reads_added_entries_in_order(tmp_path):
    kept = History(tmp_path, "attention")
    assert kept.entries() == []
    first, second = entry(big=True), entry("new", 2.0, big=False)
    kept.add(first)
    kept.add(second)
    assert kept.entries() == [first, second]
    assert kept.last("softmax") == second
    assert kept.last("attend") is None
    assert [path.name for path in tmp_path.iterdir()] == [history.FOLDER]


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b"3", b'{"exercise": 3}', b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_line_costs_only_itself(tmp_path, line):
    kept = History(tmp_path, "attention")
    kept.add(entry(big=True))
    with kept.path.open("ab") as file:
        file.write(line + b"\n")
    kept.add(entry("new", big=True))
    assert [one.text for one in kept.entries()] == ["old", "new"]


def test_entries_with_invalid_numbers_are_skipped(tmp_path):
    kept = History(tmp_path, "attention")
    kept.add(entry(big=True))
    text = kept.path.read_text(encoding="utf8").replace('"earned": 2.0', '"earned": NaN')
    kept.path.write_text(text, encoding="utf8")
    assert kept.entries() == []


def test_history_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(history, "MOST_BYTES", 20_000)
    monkeypatch.setattr(history, "KEPT", 10)
    kept = History(tmp_path, "attention")
    for number in range(200):
        kept.add(entry("x" * 500, float(number), big=True))
    assert kept.path.stat().st_size < 21_000
    assert kept.entries()[-1].time == 199.0


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path):
    (tmp_path / history.FOLDER).write_text("in the way", encoding="utf8")
    kept = History(tmp_path, "attention")
    kept.add(entry(big=True))
    assert kept.entries() == []


def test_reports_what_the_last_change_fixed_and_broke():
    said = describe_changes(entry(big=False, small=True), report(big=True, small=False), "new")
    assert said == "Your last change mended “It is big” and broke “It is small”."


def test_reports_a_fix_without_a_change_of_the_cell():
    said = describe_changes(entry(big=False), report(big=True), "old")
    assert said == "Since the last check, something else than this cell mended “It is big”."


def test_reports_a_change_without_effect_and_nothing_else():
    assert (
        describe_changes(entry(big=False), report(big=False), "new")
        == "Your last change made no difference to these results."
    )
    assert describe_changes(entry(big=False), report(big=False), "old") == ""
    assert describe_changes(entry(big=True), report(big=True), "new") == ""
    assert describe_changes(None, report(big=True), "new") == ""
    stub = entry("def softmax(E):\n    raise NotImplementedError('write it')", big=False)
    assert describe_changes(stub, report(big=False), "new") == "", "the first table has nothing before it"


def test_a_report_shows_it_in_both_its_forms():
    shown = report(big=True)
    shown.since = "Your last change mended “a < b”."
    assert "mended “a < b”" in str(shown)
    assert "mended “a &lt; b”" in shown._repr_html_()


def test_a_line_is_one_line_of_json(tmp_path):
    kept = History(tmp_path, "attention")
    kept.add(entry("two\nlines and a \u2028", big=True))
    [line] = kept.path.read_bytes().splitlines()
    assert json.loads(line)["text"] == "two\nlines and a \u2028"
