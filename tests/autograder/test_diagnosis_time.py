"""A diagnosis does not search for what the check has already told, which can take longer than all checks together."""

import course_lib.layers
from autograder import catalogue, diagnosis
from autograder.cases import OWN_BANK, read_bank
from autograder.local import LocalStudent
from autograder.references import namespace
from autograder.runner import run_checks


def _searches(monkeypatch, exercise, name):
    """Check a known wrong answer; return its report, and how often known answers were searched for one like it."""
    [case] = [case for case in read_bank(OWN_BANK) if (case.exercise, case.name) == (exercise, name)]
    names = namespace() | {"layers": course_lib.layers, "TransformerConfig": course_lib.layers.TransformerConfig}
    exec(compile(case.text, str(case.path), "exec"), names)
    searched, search = [], diagnosis._best_case

    def counted(*arguments):
        searched.append(arguments)
        return search(*arguments)

    monkeypatch.setattr(diagnosis, "_best_case", counted)
    report = run_checks(exercise, LocalStudent(names, catalogue.forbidden(case.assignment)), 1)
    return report, len(searched)


def test_one_search_is_enough_where_the_other_checks_know_their_cause(monkeypatch):
    report, searches = _searches(monkeypatch, "parameter_count", "in_millions")
    assert report.named == ["in millions", "wrong count"]
    assert searches == 1


def test_a_result_that_is_another_one_each_time_is_not_searched_for(monkeypatch):
    report, searches = _searches(monkeypatch, "Transformer", "never_tied")
    assert "random in eval mode" in report.named
    assert searches == 0
