"""Questions about scenes: every answer is counted or compared again here, from the words and the boxes."""

import pytest
import torch

from course_lib.data import ANSWERS, KINDS, ask_questions, draw_scenes, question_vocabulary, scene_regions
from course_lib.data.grammar import DIGITS, PLURALS


@pytest.fixture(scope="module")
def scenes():
    return draw_scenes(300, 8, "held_out")


@pytest.fixture(scope="module")
def questions(scenes):
    return ask_questions(scenes, 8)


def _holds(relation, a, b):
    return {
        "left of": a[2] <= b[0],
        "right of": a[0] >= b[2],
        "above": a[3] <= b[1],
        "below": a[1] >= b[3],
    }[relation]


def test_answers_are_those_that_the_scene_gives(scenes, questions):
    for row, words in enumerate(questions.words):
        scene = int(questions.scene[row])
        labels, boxes = scenes.labels[scene].tolist(), scenes.boxes[scene].tolist()
        answer, kind = ANSWERS[questions.answers[row]], KINDS[questions.kinds[row]]
        if kind == "how many":
            assert answer == DIGITS[sum(label >= 0 for label in labels)]
        elif kind == "how many of one":
            assert answer == DIGITS[labels.count(PLURALS.index(words[-1]))]
        elif kind == "size":
            box = boxes[labels.index(DIGITS.index(words[-1]))]
            assert answer == {8: "small", 12: "middle", 16: "large"}[box[3] - box[1]]
        elif kind == "relation":
            a, b = (boxes[labels.index(DIGITS.index(word))] for word in (words[2], words[-1]))
            assert _holds(" ".join(words[3:-2]), a, b) == (answer == "yes")
        else:
            a, b = (boxes[labels.index(DIGITS.index(word))] for word in (answer, words[-1]))
            assert _holds(" ".join(words[2:-2]), a, b)


def test_every_kind_is_asked_and_yes_is_as_frequent_as_no(questions):
    counts = torch.bincount(questions.kinds, minlength=len(KINDS)).tolist()
    assert counts[:2] == [300, 300]
    assert min(counts) > 100
    yes = (questions.answers[questions.kinds == KINDS.index("relation")] == ANSWERS.index("yes")).double().mean()
    assert 0.35 < yes < 0.65


def test_about_marks_the_digits_in_the_question(scenes, questions):
    for row, words in enumerate(questions.words):
        labels = scenes.labels[questions.scene[row]].tolist()
        about = [label for label, marked in zip(labels, questions.about[row].tolist(), strict=True) if marked]
        named = [DIGITS.index(word) for word in words if word in DIGITS] + [
            PLURALS.index(w) for w in words if w in PLURALS
        ]
        if words[-1] == "digits":
            assert about == [label for label in labels if label >= 0]
        else:
            assert set(about) <= {*named, *range(10)}
            assert all(label in about for label in named if label in labels)
            assert -1 not in about


def test_words_are_known_and_seeds_repeat(scenes, questions):
    ids, _ = question_vocabulary().batch(questions.words)
    assert 3 not in ids
    again, other = ask_questions(scenes, 8), ask_questions(scenes, 9)
    assert again.words == questions.words
    assert other.words != questions.words


def test_several_questions_of_a_kind_about_each_scene(scenes):
    once, thrice = ask_questions(scenes, 8, ["relation"]), ask_questions(scenes, 8, ["relation"], times=3)
    assert torch.equal(torch.bincount(thrice.scene), 3 * torch.bincount(once.scene))
    different = [len({tuple(words) for words in thrice.words[row : row + 3]}) for row in range(0, len(thrice), 3)]
    assert sum(different) / len(different) > 1.5, "not the same question again and again"
    with pytest.raises(ValueError, match="at least 1"):
        ask_questions(scenes, 8, times=0)


def test_regions_are_where_the_digits_are(scenes):
    features, real, cells = scene_regions(scenes.images)
    assert features.shape == (300, 6, 32)
    assert torch.equal(features.abs().sum(2) > 0, real)
    count = (scenes.labels >= 0).sum(1)
    assert (real.sum(1) >= count).double().mean() > 0.95
    middle = (scenes.boxes[..., :2] + scenes.boxes[..., 2:]) // 2 // 4
    place = middle[..., 1] * 10 + middle[..., 0]
    found = [
        int(place[b, o]) in cells[b, real[b]].tolist() for b in range(300) for o in range(3) if scenes.labels[b, o] >= 0
    ]
    assert sum(found) / len(found) > 0.9
