"""Practice: the right result is really the right one, and the others come from what is named."""

import pytest
import torch

from autograder import practice as practice_in_notebook
from autograder.judging import references
from autograder.judging.answers import misconceptions
from autograder.judging.history import Entry, History
from autograder.judging.lesson import Lessons
from autograder.judging.practice import MOST_RESULT, draw

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
    given = question.given.splitlines()
    rows = torch.tensor([[float(x) for x in line.split()] for line in given if "=" not in line and line.strip()])
    wanted = [
        [float(x) for x in line.split()] for line in question.options[question.right].splitlines() if line.strip()
    ]
    along = [dim for dim in (-1, -2) if dim == -1 or len(rows) > 1]
    right = [references.right(LESSON, "softmax")(rows, dim=dim) for dim in along]
    assert any(torch.allclose(torch.tensor(wanted), one, atol=0.02) for one in right)


def test_an_answer_tells_what_makes_the_others():
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
    with pytest.raises(LookupError, match="Practice comes after passing"):
        practice_in_notebook("causal_mask")
    History(tmp_path, "attention").add(Entry("causal_mask", 1.0, "a", 5.0, 5.0))
    assert practice_in_notebook("causal_mask", seed=1).exercise == "causal_mask"


def test_what_is_too_large_is_said():
    with pytest.raises(LookupError, match="There is no practice for"):
        draw(LESSON, "SelfAttention", 1)
