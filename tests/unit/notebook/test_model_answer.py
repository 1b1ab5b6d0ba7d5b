"""A model answer is shown after full points, and is right."""

import pytest
from known import ASSIGNMENTS, LESSONS, of

from autograder import model_answer
from autograder.content.known_answers import entries_of
from autograder.notebook.history import Entry, History


@pytest.fixture(autouse=True)
def in_a_notebook(monkeypatch):
    monkeypatch.setattr("course_lib.live.in_live_notebook", lambda: True)


def test_it_comes_after_passing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LookupError, match=r'after your own: run check\("causal_mask"\) until it gives all points'):
        model_answer("causal_mask")
    History(tmp_path, "attention").add(Entry("causal_mask", 1.0, "a", 4.0, 5.0))
    with pytest.raises(LookupError, match="after your own"):
        model_answer("causal_mask")
    History(tmp_path, "attention").add(Entry("causal_mask", 2.0, "b", 5.0, 5.0))
    shown = model_answer("causal_mask")
    style, _, text = shown.data.partition("\n")
    assert {(f"# {case.hint}", case.text) for case in of("causal_mask", True)} >= {(style, text)}
    assert "def causal_mask" in shown.data
    assert "highlight" in shown._repr_html_()


def test_each_exercise_has_one():
    for assignment in ASSIGNMENTS:
        lesson = LESSONS.of(assignment)
        for exercise in lesson.exercises:
            assert any(entry.right for entry in entries_of(lesson, exercise)), exercise


def test_an_unknown_name_is_reported_with_the_nearest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LookupError, match="causal_mask"):
        model_answer("causal_maks")
