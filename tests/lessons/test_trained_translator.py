"""The checkpoint of the translator: what earns points, and what does not."""

import copy

import pytest
import torch
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.grading.course import find_course
from autograder.lessons.translation import references
from autograder.lessons.translation.checks import trained
from autograder.runtime.files import files_in
from autograder.verdict.runner import run_single
from course_lib.data import french_vocabulary
from course_lib.training import load_checkpoint, save_checkpoint

pytestmark = pytest.mark.slow

LESSON = "05-translation"
OWN = LESSONS.of(LESSON)
SMALL = (120, 222, 16, 2, 1, 16)


def small():
    return references.TransformerTranslator(*SMALL)


def make_trained():
    return references.TransformerTranslator(120, 222)


def report_on(folder, make=small):
    names = namespace(OWN) | {"my_translator": make}
    return run_single("my_translator", NotebookStudent(names, OWN, file=files_in(folder)), 3)


@pytest.fixture
def solution():
    """The solution's weights, as a model of ours."""
    model = make_trained()
    load_checkpoint(find_course().solution_notebook(LESSON).parent / trained.FILE, model)
    return model.eval()


def test_without_a_file_it_says_what_to_do(tmp_path):
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (0, ["no checkpoint"])


@pytest.mark.nightly(reason="of all untrained models, this one takes longest: it never ends a sentence")
def test_weights_that_nobody_trained_fit_and_earn_nothing_more(tmp_path):
    torch.manual_seed(0)
    save_checkpoint(small(), tmp_path / trained.FILE)
    report = report_on(tmp_path)
    assert report.earned == 1
    assert "translator not good enough yet" in report.named


@pytest.mark.nightly(reason="the notebooks that make test-full runs check the solutions")
def test_the_solutions_weights_earn_everything(tmp_path, solution):
    save_checkpoint(solution, tmp_path / trained.FILE)
    report = report_on(tmp_path, make_trained)
    assert report.earned == report.points


def test_weights_of_attention_without_a_translation_earn_nothing(tmp_path, solution):
    """Its attention is that of the solution, and its output is nothing that was learned."""
    torch.manual_seed(0)
    with torch.no_grad():
        solution.output.weight.normal_()
    save_checkpoint(solution, tmp_path / trained.FILE)
    assert report_on(tmp_path, make_trained).earned == 1


class Knowing(references.TransformerTranslator):
    """Has the weights of a translator, and knows the grammar: it says the most probable translation of what it is asked."""

    def forward(self, source, words, allowed=None):
        logits, weights = super().forward(source, words, allowed)
        pairs = trained.pairs_of(3)
        right = [french_vocabulary().encode(next(iter(pairs.translations(place))))[1:] for place in range(len(source))]
        for row, text in enumerate(right):
            for t, word in enumerate(text[: words.shape[1]]):
                logits[row, t, word] = 50.0
        return logits, weights


class Remembering(references.TransformerTranslator):
    """Its file holds a table of sentences, which it looks up."""

    def __init__(self, *sizes):
        super().__init__(*sizes)
        self.english, self.french = (torch.nn.Parameter(torch.zeros(trained.SENTENCES, 30)) for _ in range(2))
        pairs = trained.pairs_of(3)
        for table, ids in ((self.english, trained.source_of(pairs)), (self.french, trained.target_of(pairs))):
            table.data[:, : ids.shape[1]] = ids.float()

    def forward(self, source, words, allowed=None):
        N = source.shape[1]
        near = torch.cdist(source.float(), self.english[:, :N]).argmin(dim=1)
        right = self.french[near, 1 : words.shape[1] + 1].long()
        return 50.0 * torch.nn.functional.one_hot(right, 222).float(), super().forward(source, words, allowed)[1]


@pytest.mark.parametrize("kind", [Knowing, Remembering])
def test_a_model_that_knows_the_sentences_earns_nothing(tmp_path, kind):
    def make():
        return kind(*SMALL)

    save_checkpoint(make(), tmp_path / trained.FILE)
    report = report_on(tmp_path, make)
    assert (report.earned, report.named) == (0, ["not a TransformerTranslator with these weights"])


def test_equal_attention_is_equal(solution):
    pairs = trained.pairs_of(3)
    source, words = trained.source_of(pairs)[:4], trained.target_of(pairs)[:4]
    before = copy.deepcopy(solution.state_dict())
    allowed = source != references.PAD
    weights = trained.attending_equally(solution)(source, words, allowed)[1]
    torch.testing.assert_close(weights, (allowed / allowed.sum(dim=1, keepdim=True))[:, None].expand_as(weights))
    assert all(torch.equal(value, before[name]) for name, value in solution.state_dict().items())


def test_shuffling_keeps_the_words():
    source = trained.source_of(trained.pairs_of(3))
    other = trained.shuffled(source, 3)
    assert torch.equal(source.sort(dim=1).values, other.sort(dim=1).values)
    assert torch.equal(source[:, 0], other[:, 0])
    assert (source != other).any(dim=1).all()


@pytest.mark.nightly(reason="the check that the notebook runs compares with the same controls")
def test_controls_lower_the_solutions_score(solution):
    pairs = trained.pairs_of(3)
    source = trained.source_of(pairs)
    value = trained.reached(pairs, trained.translated(solution, source))
    assert value > 0.9
    for texts in (
        trained.translated(solution, trained.shuffled(source, 3)),
        trained.translated(solution, source.roll(1, 0)),
        trained.translated(trained.attending_equally(solution), source),
    ):
        assert trained.reached(pairs, texts) < 0.2 * value


def test_other_seeds_are_other_sentences():
    assert trained.pairs_of(3).english != trained.pairs_of(4).english
