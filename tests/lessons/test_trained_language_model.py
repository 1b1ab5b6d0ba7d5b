"""The checkpoint of the language model: what earns points, and what does not."""

import torch
from known import LESSONS

from autograder.judging.files import files_in
from autograder.judging.local import LocalStudent
from autograder.judging.references import namespace
from autograder.judging.runner import run_checks
from autograder.lessons.mlm_pretraining import references
from autograder.lessons.mlm_pretraining.checks import check_my_language_model as checks
from course_lib.training import save_checkpoint

OWN = LESSONS.of("07-mlm-pretraining")


def my_language_model():
    return references.MaskedLanguageModel(75, 16, 2, 1, 19, 0.0)


def report_on(folder, make=my_language_model):
    names = namespace(OWN) | {"my_language_model": make}
    return run_checks("my_language_model", LocalStudent(names, OWN, file=files_in(folder)), 3)


def test_without_a_file_it_says_what_to_do(tmp_path):
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (0, ["no checkpoint"])


def test_weights_that_nobody_trained_fit_and_earn_nothing_more(tmp_path):
    save_checkpoint(my_language_model(), tmp_path / checks.FILE)
    assert report_on(tmp_path).earned == 1


def test_weights_of_other_widths_earn_nothing(tmp_path):
    save_checkpoint(references.MaskedLanguageModel(75, 8, 2, 1, 19, 0.0), tmp_path / checks.FILE)
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (0, ["weights of another class"])


class Frequencies(references.MaskedLanguageModel):
    """Knows how frequent the words are, and nothing of the context."""

    def forward(self, ids, segments=None):
        return self.output_bias.expand(*ids.shape, -1)


def test_the_frequencies_of_words_earn_nothing_more(tmp_path):
    from course_lib.data import draw_sentences

    counts = draw_sentences(3000, seed=1).flatten().bincount(minlength=75).double()
    model = Frequencies(75, 16, 2, 1, 19, 0.0)
    with torch.no_grad():
        model.output_bias.copy_((counts + 0.1).log())
    save_checkpoint(model, tmp_path / checks.FILE)
    report = report_on(tmp_path, lambda: Frequencies(75, 16, 2, 1, 19, 0.0))
    assert report.earned == 1


class Knowing(references.MaskedLanguageModel):
    """Answers with the exact posterior probabilities: nothing can be better."""

    def forward(self, ids, segments=None):
        from course_lib.data import Masking, agreement_language, posterior, unframed

        found = posterior(agreement_language(), unframed(ids), Masking(75, 4, 5)).clamp(min=1e-30).log()
        return torch.nn.functional.pad(found, (0, 0, 1, 1)).to(self.output_bias.dtype)


def test_the_exact_posterior_earns_everything(tmp_path):
    save_checkpoint(my_language_model(), tmp_path / checks.FILE)
    report = report_on(tmp_path, lambda: Knowing(75, 16, 2, 1, 19, 0.0))
    assert report.earned == report.points


def test_other_seeds_are_other_sentences():
    assert not torch.equal(checks._drawn(3)[0], checks._drawn(4)[0])
