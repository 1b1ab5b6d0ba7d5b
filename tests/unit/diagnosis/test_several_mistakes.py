"""Of two mistakes at once, one is named, and that there is another."""

from answers import RIGHT_ATTENTION, student

from autograder.verdict.runner import run_checks

ATTENTION = "scaled_dot_product_attention"


def test_of_two_mistakes_the_one_that_rows_show_by_themselves_is_named():
    both = RIGHT_ATTENTION.replace("~allowed", "allowed").replace("Q.shape[-1])", "V.shape[-1])")
    report = run_checks(ATTENTION, student(both), 1)
    assert report.named == ["scaled by root of value width"]
    told = {result.name: result.diagnosis for result in report.results if result.diagnosis}
    assert all("There is another mistake as well" in diagnosis.hint for diagnosis in told.values())
    masked = [result for result in report.results if result.failure and "not allowed" in result.sentence]
    assert masked
    assert all(result.diagnosis is None for result in masked)


def test_a_single_mistake_is_named_alone():
    report = run_checks(ATTENTION, student(RIGHT_ATTENTION.replace("~allowed", "allowed")), 1)
    assert report.named
    assert not any("another mistake" in result.diagnosis.hint for result in report.results if result.diagnosis)
