"""Practice: the right result is really the right one, and the others come from what is named."""

import re

import pytest
import torch

from autograder import practice as practice_in_notebook
from autograder.content import references
from autograder.content.known_answers import misconceptions
from autograder.content.lesson import Lessons
from autograder.notebook.history import Entry, History
from autograder.notebook.practice import MOST_RESULT, draw

LESSON = Lessons().of("01-attention")
SMALL = ("softmax", "attend", "causal_mask")


@pytest.mark.parametrize("exercise", SMALL)
def test_one_option_is_right_and_each_other_has_its_mistake(exercise):
    titles = {case.title for case in misconceptions(LESSON, exercise)}
    letters = set()
    for seed in range(3):
        question = draw(LESSON, exercise, seed)
        assert 2 <= len(question.options) <= 4
        assert len(set(question.options.values())) == len(question.options), "no two look the same"
        assert set(question.causes) == set(question.options) - {question.right}
        assert set(question.causes.values()) <= titles
        assert all(len(text.split()) <= MOST_RESULT for text in question.options.values())
        letters.add(question.right)
    assert str(draw(LESSON, exercise, 0)) == str(draw(LESSON, exercise, 0)), "a seed is a question"


def test_the_right_option_is_what_the_reference_returns():
    question = draw(LESSON, "softmax", 3)
    head, _, rows = question.inputs.partition(":\n")
    shape = [int(number) for number in re.findall(r"\d+", head)]
    E = numbers_in(re.sub(r"\w+ = .*", "", rows)).reshape(shape)
    wanted = numbers_in(question.options[question.right]).reshape(shape)
    right = [references.reference_for(LESSON, "softmax")(E, dim=dim) for dim in range(E.dim())]
    assert any(torch.allclose(wanted, one, atol=0.02) for one in right)


def numbers_in(text):
    """Return the numbers of a shown tensor, without the places in front of its rows."""
    return torch.tensor([float(number) for number in re.findall(r"-?\d+\.\d+", text)])


def test_inputs_show_names_and_shapes_and_heads_their_index():
    question = draw(Lessons().of("02-multi-head-attention"), "split_heads", 5)
    assert re.match(r"X, of shape \(1, 1, 4, 3\):\n\[0, 0\] +-?\d\.\d\d ", question.inputs)
    assert question.inputs.endswith("\nnum_heads = 3")
    assert re.search(r"\n\[0, 0, 2\] +-?\d\.\d\d \|  +-?\d\.\d\d \|", question.options[question.right])


def test_an_answer_explains_the_other_options():
    question = draw(LESSON, "softmax", 1)
    wrong = next(letter for letter in question.options if letter != question.right)
    assert str(question.answer(question.right)).startswith("Right.")
    told = str(question.answer(wrong))
    assert f"{question.right} is right" in told
    assert question.causes[wrong] in told
    with pytest.raises(ValueError, match="Expected one of a, b"):
        question.answer("z")
    assert "<script" not in question._repr_html_()


def test_practice_comes_after_passing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("course_lib.live.in_live_notebook", lambda: True)
    with pytest.raises(LookupError, match="Practice comes after passing"):
        practice_in_notebook("causal_mask")
    History(tmp_path, "attention").add(Entry("causal_mask", 1.0, "a", 5.0, 5.0))
    with pytest.raises(LookupError, match="Nothing has been asked yet"):
        practice_in_notebook("causal_mask", "a")
    question = practice_in_notebook("causal_mask", seed=1)
    assert question.exercise == "causal_mask"
    assert 'practice("causal_mask", "a")' in question._repr_html_()
    assert str(practice_in_notebook("causal_mask", question.right)).startswith("Right.")


def test_reports_too_large_results():
    with pytest.raises(LookupError, match=r"There is no practice for .* Try another exercise of this lesson: softmax"):
        draw(LESSON, "SelfAttention", 1)


def test_a_click_tells_of_one_option_only():
    page = draw(LESSON, "softmax", 1)._repr_html_()
    question = draw(LESSON, "softmax", 1)
    parts = page.split("<details")[1:]
    assert len(parts) == len(question.options)
    for letter, part in zip(question.options, parts, strict=True):
        assert (">Right.<" in part) == (letter == question.right)
        assert "is right" not in part


@pytest.mark.parametrize("exercise", SMALL)
def test_no_question_has_one_number_for_an_answer(exercise):
    for seed in range(8):
        question = draw(LESSON, exercise, seed)
        assert len(set(re.findall(r"-?\d+\.\d+", question.options[question.right]))) > 1
