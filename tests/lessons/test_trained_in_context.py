"""The checkpoints of lesson 08's two language models: what earns points, and what does not."""

import pytest
import torch
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.grading.course import find_course
from autograder.lessons.in_context_learning import references
from autograder.lessons.in_context_learning.checks import check_my_gpt, check_my_learner, handed_in
from autograder.runtime.files import files_in
from autograder.verdict.runner import run_single
from course_lib.data import agreement_language
from course_lib.training import load_checkpoint, save_checkpoint

pytestmark = pytest.mark.slow

LESSON = "08-in-context-learning"
OWN = LESSONS.of(LESSON)
FILES = {"my_gpt": check_my_gpt.FILE, "my_learner": check_my_learner.FILE}


@pytest.fixture(autouse=True)
def one_block(tmp_path):
    """The second file of my_learner, which section 2.3 compares with the first."""
    save_checkpoint(references.my_learner(1), tmp_path / check_my_learner.ONE_BLOCK)


def report_on(exercise, folder, make):
    names = namespace(OWN) | {exercise: make}
    return run_single(exercise, NotebookStudent(names, OWN, file=files_in(folder)), 3)


def solution(exercise):
    model = getattr(references, exercise)()
    load_checkpoint(find_course().solution_notebook(LESSON).parent / FILES[exercise], model)
    return model.eval()


@pytest.mark.parametrize("exercise", FILES)
def test_without_a_file_it_says_what_to_do(exercise, tmp_path):
    report = report_on(exercise, tmp_path, getattr(references, exercise))
    assert (report.earned, report.named) == (0, ["no checkpoint"])


@pytest.mark.parametrize("exercise", FILES)
def test_weights_that_nobody_trained_fit_and_earn_nothing_more(exercise, tmp_path):
    torch.manual_seed(0)
    make = getattr(references, exercise)
    save_checkpoint(make(), tmp_path / FILES[exercise])
    report = report_on(exercise, tmp_path, make)
    assert report.earned == 1
    assert any("not good enough yet" in name for name in report.named)


@pytest.mark.nightly(reason="the notebooks that make test-full runs check the solutions")
@pytest.mark.parametrize("exercise", FILES)
def test_the_solutions_weights_earn_everything(exercise, tmp_path):
    save_checkpoint(solution(exercise), tmp_path / FILES[exercise])
    report = report_on(exercise, tmp_path, getattr(references, exercise))
    assert report.earned == report.points


class Knowing(references.GPT):
    """Has the weights of a GPT, and says the exact probabilities of the language."""

    def forward(self, ids, *arguments, **options):
        logits, weights = super().forward(ids, *arguments, **options)
        said = torch.where(ids[:, 1:] == 3, 0, ids[:, 1:])
        return agreement_language().following(said, 75).clamp(min=1e-12).log().to(logits), weights


def test_a_model_that_knows_the_language_earns_nothing(tmp_path):
    def make():
        model = references.my_gpt()
        model.__class__ = Knowing
        return model

    save_checkpoint(make(), tmp_path / check_my_gpt.FILE)
    report = report_on("my_gpt", tmp_path, make)
    assert (report.earned, report.named) == (0, ["not a GPT with these weights"])


def test_switching_off_heads_changes_no_weights():
    model = solution("my_learner")
    before = {name: value.clone() for name, value in model.state_dict().items()}
    ids = torch.arange(8).repeat(2)[None]
    other = handed_in.switched_off(model, [(1, 0), (1, 1)])
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    with torch.no_grad():
        assert not torch.allclose(model(ids)[0], other(ids)[0])
        assert torch.equal(model(ids)[1][0], other(ids)[1][0])


def test_other_seeds_are_other_sentences():
    assert not torch.equal(check_my_gpt._drawn(3).ids, check_my_gpt._drawn(4).ids)
    assert not torch.equal(check_my_learner._drawn(3)[0], check_my_learner._drawn(4)[0])
