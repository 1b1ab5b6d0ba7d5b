"""The checkpoints of lesson 12: what earns points, and what does not."""

import pytest
import torch
from known import LESSONS, points

from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.grading.course import find_course
from autograder.lessons.vision_language import references
from autograder.runtime.files import files_in
from autograder.verdict.runner import run_single
from course_lib.training import load_checkpoint, save_checkpoint

pytestmark = pytest.mark.slow

LESSON = "12-vision-language"
OWN = LESSONS.of(LESSON)
FILES = {"my_clip": "clip.safetensors", "my_answers": "answers.safetensors"}


def small(exercise):
    if exercise == "my_clip":
        return references.DualEncoder(references.DualConfig(model_width=16, num_heads=2))
    return references.ViLBERT(references.ViLBERTConfig(model_width=16, num_heads=2, num_blocks=1))


def report_on(exercise, folder, make):
    names = namespace(OWN) | {exercise: make}
    return run_single(exercise, NotebookStudent(names, OWN, file=files_in(folder)), 3)


@pytest.mark.parametrize("exercise", FILES)
def test_without_a_file_it_says_what_to_do(exercise, tmp_path):
    report = report_on(exercise, tmp_path, lambda: small(exercise))
    assert (report.earned, report.named) == (0, ["no checkpoint"])


@pytest.mark.parametrize("exercise", FILES)
def test_weights_that_nobody_trained_fit_and_earn_nothing_more(exercise, tmp_path):
    save_checkpoint(small(exercise), tmp_path / FILES[exercise])
    report = report_on(exercise, tmp_path, lambda: small(exercise))
    assert report.earned == 1
    assert "model not good enough yet" in report.named


@pytest.mark.parametrize("exercise", FILES)
def test_the_course_s_own_weights_earn_everything(exercise):
    folder = find_course().solution_notebook(LESSON).parent
    report = report_on(exercise, folder, getattr(references, exercise))
    assert report.earned == points(LESSON)[exercise]


@pytest.mark.parametrize("exercise", FILES)
def test_a_model_that_answers_for_weights_that_do_not_earns_nothing(exercise, tmp_path):
    """The student's forward is compared with the grader's own model with the weights of the file."""
    save_checkpoint(small(exercise), tmp_path / FILES[exercise])
    folder = find_course().solution_notebook(LESSON).parent
    trained = getattr(references, exercise)()
    load_checkpoint(folder / FILES[exercise], trained)

    class Cheat(type(small(exercise))):
        def forward(self, *inputs):
            return trained(*inputs)

    report = report_on(exercise, tmp_path, lambda: Cheat(_config(exercise)))
    assert report.earned == 0


def _config(exercise):
    if exercise == "my_clip":
        return references.DualConfig(model_width=16, num_heads=2)
    return references.ViLBERTConfig(model_width=16, num_heads=2, num_blocks=1)


def test_a_clip_that_ignores_pictures_fails_the_control(tmp_path):
    """All pictures give one vector: nothing is found, whatever the texts say."""
    model = references.my_clip()
    folder = find_course().solution_notebook(LESSON).parent
    load_checkpoint(folder / FILES["my_clip"], model)
    with torch.no_grad():
        model.patches.weight.zero_()
    save_checkpoint(model, tmp_path / FILES["my_clip"])
    report = report_on("my_clip", tmp_path, references.my_clip)
    assert report.earned == 1
