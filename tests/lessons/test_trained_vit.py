"""The checkpoint of the Vision Transformer: what earns points, and what does not."""

import pytest
import torch
import torch.nn.functional as F
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.grading.course import find_course
from autograder.lessons.vit import references
from autograder.lessons.vit.checks import check_my_vit as checks
from autograder.lessons.vit.checks.trained import FILE
from autograder.runtime.files import files_in
from autograder.verdict.runner import run_single
from course_lib.data import draw_colour_digits, handwritten_digits
from course_lib.training import load_checkpoint, save_checkpoint

pytestmark = pytest.mark.slow

LESSON = "11-vit"
SMALL = references.ViTConfig(model_width=16, num_blocks=1, num_heads=2)

OWN = LESSONS.of("11-vit")


def my_vit():
    return references.VisionTransformer(SMALL)


def report_on(folder, make=my_vit):
    names = namespace(OWN) | {"my_vit": make}
    return run_single("my_vit", NotebookStudent(names, OWN, file=files_in(folder)), 3)


def test_without_a_file_it_says_what_to_do(tmp_path):
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (0, ["no checkpoint"])


def test_weights_that_nobody_trained_fit_and_earn_nothing_more(tmp_path):
    save_checkpoint(my_vit(), tmp_path / FILE)
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (1, ["model not good enough yet"])


def test_weights_of_other_widths_earn_nothing(tmp_path):
    save_checkpoint(references.VisionTransformer(references.ViTConfig(model_width=8)), tmp_path / FILE)
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (0, ["weights of another number of layers"])


def looked_up(images):
    """What the digits are that lie in the red channel, from the public data set."""
    digits = handwritten_digits("one_fifth")
    near = torch.cdist(images[:, 0].flatten(1).float(), digits.images.flatten(1)).argmin(dim=1)
    return F.one_hot(digits.labels[near], 10).to(images.dtype)


class Neighbour(torch.nn.Module):
    """Looks digits up: reads them all, and is no Transformer."""

    def __init__(self):
        super().__init__()
        self.nothing = torch.nn.Parameter(torch.zeros(1))

    def forward(self, images):
        return looked_up(images), []


class Disguised(references.VisionTransformer):
    """Has the weights of a Transformer, and looks digits up."""

    def forward(self, images, need_weights=True):
        return looked_up(images) + 0 * self.class_token.sum(), []


@pytest.mark.parametrize("make", [Neighbour, lambda: Disguised(SMALL)])
def test_a_model_that_looks_the_digits_up_earns_nothing(tmp_path, make):
    images, red, _ = checks._drawn(3)
    assert bool((make()(images)[0].argmax(dim=1) == red).all())  # it would read every one
    save_checkpoint(make(), tmp_path / FILE)
    report = report_on(tmp_path, make)
    assert (report.earned, report.named) == (0, ["not a VisionTransformer with these weights"])


@pytest.fixture
def trained(tmp_path):
    """The solution's weights, as a model of ours."""
    file = find_course().solution_notebook(LESSON).parent / FILE
    model = references.VisionTransformer(references.ViTConfig())
    load_checkpoint(file, model)
    return model


def make_trained():
    return references.VisionTransformer(references.ViTConfig())


def test_the_solutions_weights_earn_everything_in_any_class_that_computes_the_same(tmp_path, trained):
    save_checkpoint(trained, tmp_path / FILE)
    report = report_on(tmp_path, make_trained)
    assert report.earned == report.points


def test_another_number_of_heads_is_another_model(tmp_path, trained):
    save_checkpoint(trained, tmp_path / FILE)
    report = report_on(tmp_path, lambda: references.VisionTransformer(references.ViTConfig(num_heads=1)))
    assert report.earned < 4


@pytest.mark.parametrize("what", ["positions", "colours"])
def test_a_model_without_positions_or_with_other_colours_reads_nothing(tmp_path, trained, what):
    with torch.no_grad():
        if what == "positions":
            trained.positions.zero_()
        else:
            kernels = trained.embedding.projection.weight.unflatten(1, (3, 4))
            trained.embedding.projection.weight.copy_(kernels.flip(1).flatten(1))
    save_checkpoint(trained, tmp_path / FILE)
    report = report_on(tmp_path, make_trained)
    assert (report.earned, report.named) == (1, ["model not good enough yet"])


def test_the_controls_name_what_is_wrong(tmp_path, trained, monkeypatch):
    """Where shuffling changes nothing, and where the swapped digit is another one than asked for, the control is not passed."""
    save_checkpoint(trained, tmp_path / FILE)
    images, red, blue = checks._drawn(3)
    monkeypatch.setattr(checks, "_shuffled", lambda images, seed: images)
    monkeypatch.setattr(checks, "_drawn", lambda seed: (images, red, blue.roll(1)))
    report = report_on(tmp_path, make_trained)
    assert (report.earned, report.named) == (2, ["positions not used", "colours not told apart"])


def test_shuffling_keeps_the_patches():
    images = checks._drawn(3)[0]
    shuffled = checks._shuffled(images, 3)
    assert not torch.equal(shuffled, images)
    ours, theirs = (references.patchify(x, checks.P).sum(-1).sort(dim=1).values for x in (images, shuffled))
    assert torch.equal(ours, theirs)


def test_other_seeds_are_other_pictures():
    one, other = checks._drawn(3), checks._drawn(4)
    assert torch.equal(one[0][:, 0], other[0][:, 0])  # the held-out digits are what they are
    assert not torch.equal(one[0][:, 1:], other[0][:, 1:])
    assert len(one[1]) == checks.DRAWS * len(draw_colour_digits(None, 0, "one_fifth"))
