"""How far the names of mistakes can be trusted: what is hidden, what is read, and how it is counted."""

import io

import pytest
from known import ASSIGNMENTS, LESSONS
from rich.console import Console

from autograder.authoring import diagnosis_names
from autograder.authoring.diagnosis_names import NamedDiagnosis, diagnose_hidden, hidden_half, print_names
from autograder.content.known_answers import cases_of, hidden_cases, misconceptions

ATTENTION = LESSONS.of("01-attention")


def test_hidden_answers_are_unknown_inside_and_known_again_outside():
    before = misconceptions(ATTENTION, "softmax")
    half = hidden_half(ATTENTION, "softmax")
    with hidden_cases(map(str, half)):
        inside = misconceptions(ATTENTION, "softmax")
    assert set(inside) | set(half) == set(before)
    assert not set(inside) & set(half)
    assert misconceptions(ATTENTION, "softmax") == before


def test_about_half_of_the_wrong_answers_are_hidden_and_no_right_one():
    half = [case for name in ATTENTION.exercises for case in hidden_half(ATTENTION, name)]
    wrong = [case for name in ATTENTION.exercises for case in misconceptions(ATTENTION, name)]
    assert [case for case in half if case.right] == []
    assert 0.4 * len(wrong) < len(half) < 0.6 * len(wrong)


@pytest.mark.nightly(reason="audits the names of an exercise")
@pytest.mark.slow
def test_looks_up_the_judgement_of_a_name(monkeypatch, root):
    half = hidden_half(ATTENTION, "softmax")
    monkeypatch.setattr(diagnosis_names, "hidden_half", lambda lesson, exercise: half if exercise == "softmax" else [])
    found = list(diagnose_hidden([ATTENTION], 1, root / "solutions"))
    assert [each.case for each in found] == half
    said = {(f"softmax/{each.case.name}", each.names): "vague" for each in found if each.names}
    assert said
    monkeypatch.setattr(diagnosis_names, "_judgements", lambda lesson: said)
    judged = list(diagnose_hidden([ATTENTION], 1, root / "solutions"))
    assert {each.judgement for each in judged if each.names} == {"vague"}
    assert {each.judgement for each in judged if not each.names} <= {"none"}


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_reads_the_judgements(assignment):
    """A name may quote code, with a | of its own."""
    lesson = LESSONS.of(assignment)
    cases = {f"{case.exercise}/{case.name}" for name in lesson.exercises for case in cases_of(lesson, name)}
    judged = diagnosis_names._judgements(lesson)
    assert judged
    assert {case for case, _ in judged} <= cases


def test_limits_on_misleading_and_unread_names():
    case = cases_of(ATTENTION, "softmax")[0]

    def status(**counts):
        found = [NamedDiagnosis(case, "a name", word) for word, n in counts.items() for _ in range(n)]
        return print_names(Console(file=io.StringIO()), found, unread=False)

    assert status(misleading=1, right=49) == 0
    assert status(misleading=2, right=48) == 1
    assert status(unread=2, right=38) == 0
    assert status(unread=3, right=37) == 1


def test_a_line_that_cannot_be_read_is_an_error_that_says_where(tmp_path):
    with pytest.raises(ValueError, match=r"names\.txt, line 3: expected 'right"):
        diagnosis_names._read("true | softmax/x | y", tmp_path / "names.txt", 3)
