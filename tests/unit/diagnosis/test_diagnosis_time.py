"""A diagnosis does not search for what the check has already told, which can take longer than all checks together."""

import pytest
from known import LESSONS, of

import course_lib.layers
from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.diagnosis import search as search_module
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


def test_what_a_known_answer_passes_is_found_out_once(monkeypatch):
    """The answers of a class have the same causes, and a student runs a check again and again."""
    run = []

    def counted(student, check, seed):
        run.append(check.__name__)
        return fails(student, check, seed)

    fails = search_module._fails
    monkeypatch.setattr(search_module, "_fails", counted)
    search_module._known_to_fail.cache_clear()
    for again in (False, True):
        run.clear()
        report, _ = _searches(monkeypatch, "softmax", "no_maximum_subtracted")
        assert report.named == ["no maximum subtracted"]
        assert bool(run) != again, run
