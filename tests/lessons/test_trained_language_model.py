"""The checkpoint of the language model: what earns points, and what does not."""

import pytest
import torch
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.grading.course import find_course
from autograder.lessons.mlm_pretraining import references
from autograder.lessons.mlm_pretraining.checks import check_my_language_model as checks
from autograder.lessons.mlm_pretraining.checks.trained import FILE
from autograder.runtime.files import files_in
from autograder.verdict.runner import run_single
from course_lib.training import load_checkpoint, save_checkpoint

pytestmark = pytest.mark.slow

OWN = LESSONS.of("09-mlm-pretraining")


def my_language_model():
    return references.MaskedLanguageModel(75, 16, 2, 1, 19, 0.0)


def report_on(folder, make=my_language_model):
    names = namespace(OWN) | {"my_language_model": make}
    return run_single("my_language_model", NotebookStudent(names, OWN, file=files_in(folder)), 3)


def test_without_a_file_it_says_what_to_do(tmp_path):
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (0, ["no checkpoint"])


def test_weights_that_nobody_trained_fit_and_earn_nothing_more(tmp_path):
    save_checkpoint(my_language_model(), tmp_path / FILE)
    assert report_on(tmp_path).earned == 1


def test_weights_of_other_widths_earn_nothing(tmp_path):
    save_checkpoint(references.MaskedLanguageModel(75, 8, 2, 1, 19, 0.0), tmp_path / FILE)
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (0, ["weights of another size"])


def test_the_frequencies_of_words_earn_nothing_more(tmp_path):
    from course_lib.data import draw_sentences

    counts = draw_sentences(3000, seed=1).flatten().bincount(minlength=75).double()
    model = my_language_model()
    with torch.no_grad():
        model.encoder.embeddings.tokens.weight.zero_()  # what is left of the logits is the bias
        model.output_bias.copy_((counts + 0.1).log())
    save_checkpoint(model, tmp_path / FILE)
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (1, ["language model not good enough yet", "context ignored"])


class Knowing(references.MaskedLanguageModel):
    """Answers with the exact posterior probabilities: nothing can be better."""

    def forward(self, ids, segments=None):
        from course_lib.data import Masking, agreement_language, posterior, unframed

        found = posterior(agreement_language(), unframed(ids), Masking(75, 4, 5)).clamp(min=1e-30).log()
        return torch.nn.functional.pad(found, (0, 0, 1, 1)).to(self.output_bias.dtype)


class KnowingWhenManyAreAsked(Knowing):
    """Computes what it should where few sentences are given, and answers with the posterior elsewhere."""

    def forward(self, ids, segments=None):
        few = references.MaskedLanguageModel.forward(self, ids, segments)
        return few if len(ids) <= checks.FEW else super().forward(ids, segments)


def test_the_exact_posterior_in_the_forward_earns_nothing(tmp_path):
    save_checkpoint(my_language_model(), tmp_path / FILE)
    report = report_on(tmp_path, lambda: Knowing(75, 16, 2, 1, 19, 0.0))
    assert (report.earned, report.named) == (0, ["not a MaskedLanguageModel with these weights"])


def test_a_forward_that_is_right_only_where_it_is_compared_earns_what_its_weights_earn(tmp_path):
    save_checkpoint(my_language_model(), tmp_path / FILE)
    assert report_on(tmp_path, lambda: KnowingWhenManyAreAsked(75, 16, 2, 1, 19, 0.0)).earned == 1


@pytest.fixture
def trained():
    """The solution's weights, in a model of ours."""
    model = references.MaskedLanguageModel(75, 64, 4, 2, 19, 0.0)
    load_checkpoint(find_course().solution_notebook(OWN.assignment).parent / FILE, model)
    return model


class Inside(torch.nn.Module):
    """The model as a part of another, beside a part that is not used."""

    def __init__(self, heads=4):
        super().__init__()
        self.average = references.MaskedLanguageModel(75, 64, heads, 2, 19, 0.0)
        self.m = references.MaskedLanguageModel(75, 64, heads, 2, 19, 0.0)

    def forward(self, ids, segments=None):
        return self.m(ids, segments)


@pytest.mark.parametrize("precision", [torch.float32, torch.float64])
def test_the_same_model_as_a_part_of_another_earns_everything(tmp_path, trained, precision):
    outer = Inside()
    outer.m = trained
    save_checkpoint(outer.to(precision), tmp_path / FILE)
    report = report_on(tmp_path, Inside)
    assert report.earned == report.points


def test_another_number_of_heads_is_another_model(tmp_path, trained):
    save_checkpoint(trained, tmp_path / FILE)
    report = report_on(tmp_path, lambda: references.MaskedLanguageModel(75, 64, 1, 2, 19, 0.0))
    assert 1 <= report.earned < report.points


def test_fewer_places_than_a_sentence_has_tokens_earn_nothing(tmp_path):
    class Short(references.MaskedLanguageModel):
        def forward(self, ids, segments=None):
            return torch.nn.functional.pad(super().forward(ids[:, :17]), (0, 0, 0, ids.shape[1] - 17))

    def make():
        return Short(75, 16, 2, 1, 17, 0.0)

    save_checkpoint(make(), tmp_path / FILE)
    report = report_on(tmp_path, make)
    assert (report.earned, report.named) == (0, ["not a MaskedLanguageModel with these weights"])
    assert "17 places" in str(report)


def test_other_seeds_are_other_sentences():
    assert not torch.equal(checks._drawn(3)[0], checks._drawn(4)[0])
