"""my_answers(), with the weights that were handed in."""

import functools

import torch
from torch import Tensor, nn

from autograder.checks import CheckFailure, Draw, Student, exercise, measured, points, weights
from autograder.lessons.vision_language.checks.trained import ANSWERS, deal, fail_control, loaded_answers, right_answers

SCENES = 300
#: The share of right answers: full points from the first on, none up to the second.
ACCURACY = (0.93, 0.55)
#: For the controls: what has to be right, and by how much less has to be right without the picture. A guess from the question
#: alone is right about four times in ten.
LEAST, LOST = 0.75, 0.25


@functools.lru_cache(maxsize=4)
def asked(seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return regions, which are real, questions and answers about scenes of held-out handwriting."""
    from course_lib.data import ask_questions, draw_scenes, question_vocabulary, scene_regions

    draw = Draw(seed, ANSWERS)
    scenes = draw_scenes(SCENES, draw.new_seed(), "held_out")
    questions = ask_questions(scenes, draw.new_seed())
    features, real, _ = scene_regions(scenes.images)
    ids, _ = question_vocabulary().batch(questions.words)
    return features[questions.scene], real[questions.scene], ids, questions.answers


def _loaded(student: Student, seed: int) -> nn.Module:
    return loaded_answers(student, *asked(seed)[:3])


def _setting(seed: int) -> str:
    return f"{len(asked(seed)[3])} questions about {SCENES} scenes of held-out digits, seed {seed}"


def _share(model: nn.Module, *asked: Tensor) -> float:
    return float(right_answers(model, *asked).double().mean())


@exercise(ANSWERS)
@points(1)
@measured
def check_the_weights_fit(student: Student, seed: int) -> None:
    """The checkpoint is there, can be read, and fits the ViLBERT that my_answers() makes anew at every call"""
    _loaded(student, seed)
    weights.made_anew(student, ANSWERS, "answers.safetensors")


@exercise(ANSWERS)
@points(2)
@measured
def check_it_answers_questions(student: Student, seed: int) -> None:
    """It answers questions about scenes of held-out digits"""
    share, (full, none) = _share(_loaded(student, seed), *asked(seed)), ACCURACY
    failure = CheckFailure(
        "accuracy",
        "Too few questions are answered right.",
        setting=_setting(seed),
        received=share,
        expected=f"at least {full:.0%} (points in eighths above {none:.0%})",
        yours=f"{share:.1%}",
        cause="model not good enough yet",
        hint="Has training come to its end, and does the loss still fall? Then train longer; relations are learned last. If "
        "it has levelled off, look at the loss, and at whether each question stands beside its own answer.",
    )
    weights.judge(share, full, none, failure)


@exercise(ANSWERS)
@points(1)
@measured
def check_it_looks(student: Student, seed: int) -> None:
    """It answers from the picture: without it, or with another one, it is no better than a guess from the question"""
    model, (features, real, ids, answers) = _loaded(student, seed), asked(seed)
    share = _share(model, features, real, ids, answers)
    order = deal(len(answers), seed, "other scenes")
    other = _share(model, features[order], real[order], ids, answers)
    none = _share(model, torch.zeros_like(features), torch.zeros_like(real), ids, answers)
    good = share >= LEAST
    if good and max(other, none) <= share - LOST:
        return
    fail_control(
        _setting(seed),
        good,
        "picture not used",
        "A model that answers as well without the picture guesses from the question.",
        expected=f"at least {LEAST:.0%}, and at least {LOST:.0%} of all questions less without the picture and with another one",
        yours=f"{share:.1%}; {none:.1%} without the picture, {other:.1%} with another one",
    )
