"""A diagnosis does not search for what the check has already told, which can take longer than all checks together."""

import pytest
from known import LESSONS, of

import course_lib.layers
from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.diagnosis.search import Search
from autograder.verdict.runner import run_checks

pytestmark = pytest.mark.slow


def _searches(monkeypatch, exercise, name):
    """Check a known wrong answer; return its report, and how often known answers were searched for one like it."""
    [case] = [case for case in of(exercise, right=False) if case.name == name]
    lesson = LESSONS.of(case.assignment)
    names = namespace(lesson) | {"layers": course_lib.layers, "TransformerConfig": course_lib.layers.TransformerConfig}
    exec(compile(case.text, str(case), "exec"), names)
    searched, search = [], Search.best

    def counted(*arguments):
        searched.append(arguments)
        return search(*arguments)

    monkeypatch.setattr(Search, "best", counted)
    report = run_checks(exercise, NotebookStudent(names, lesson), 1)
    return report, len(searched)


def test_one_search_if_the_other_checks_report_causes(monkeypatch):
    report, searches = _searches(monkeypatch, "parameter_count", "in_millions")
    assert report.named == ["in millions"]
    assert searches == 1


def test_random_results_are_not_searched_for(monkeypatch):
    report, searches = _searches(monkeypatch, "Transformer", "never_tied")
    assert report.named == ["extra parameters"]
    assert searches == 0
