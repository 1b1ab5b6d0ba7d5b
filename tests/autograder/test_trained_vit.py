"""The checkpoint of the Vision Transformer: what earns points, and what does not."""

import pytest
import torch
import torch.nn.functional as F

from autograder import notebooks, references, submission
from autograder.checks.vit import check_my_vit as checks
from autograder.course import find_course
from autograder.failure import CheckFailure
from autograder.files import files_in
from autograder.local import LocalStudent
from autograder.runner import run_checks
from course_lib.data import draw_colour_digits, handwritten_digits
from course_lib.training import save_checkpoint

LESSON = "08-vit"
SMALL = references.ViTConfig(model_width=16, num_blocks=1, num_heads=2)


def my_vit():
    return references.VisionTransformer(SMALL)


def report_on(folder, make=my_vit):
    names = references.namespace() | {"my_vit": make}
    return run_checks("my_vit", LocalStudent(names, file=files_in(folder)), 3)


def test_without_a_file_it_says_what_to_do(tmp_path):
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (0, ["no checkpoint"])


def test_weights_that_nobody_trained_fit_and_earn_nothing_more(tmp_path):
    save_checkpoint(my_vit(), tmp_path / checks.FILE)
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (1, ["model not good enough yet"])


def test_weights_of_other_widths_earn_nothing(tmp_path):
    save_checkpoint(references.VisionTransformer(references.ViTConfig(model_width=8)), tmp_path / checks.FILE)
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (0, ["weights of another class"])


class Neighbour(torch.nn.Module):
    """Looks up the most similar digit of the training part: reads well, and is no Transformer."""

    def __init__(self, colours=(1.0, 0.0, 0.0), of=lambda images: images.flatten(2)):
        super().__init__()
        self.nothing = torch.nn.Parameter(torch.zeros(1))
        self.register_buffer("colours", torch.tensor(colours), persistent=False)
        self.of = of

    def forward(self, images):
        digits = handwritten_digits("four_fifths")
        seen = torch.einsum("c,bchw->bhw", self.colours, images.float())[:, None]
        near = torch.cdist(self.of(seen)[:, 0], self.of(digits.images[:, None])[:, 0]).argmin(dim=1)
        return F.one_hot(digits.labels[near], 10).double(), []


def _counts(images):
    """The ink of the patches without their places: sorted."""
    return references.patchify(images, 2).sum(-1).sort(dim=-1).values[:, None]


def test_any_model_that_reads_the_red_digits_earns_everything(tmp_path):
    save_checkpoint(Neighbour(), tmp_path / checks.FILE)
    report = report_on(tmp_path, Neighbour)
    assert report.earned == report.points


def test_a_model_that_does_not_care_for_colours_is_told_so(tmp_path):
    save_checkpoint(Neighbour(), tmp_path / checks.FILE)
    images, labels = checks._drawn(3)
    gray = Neighbour((1 / 3, 1 / 3, 1 / 3))
    assert checks._right(gray, images, labels) < 0.6
    report = report_on(tmp_path, lambda: Neighbour((1 / 3, 1 / 3, 1 / 3)))
    assert report.earned < report.points / 2


def test_a_model_that_only_counts_does_not_earn_the_control(tmp_path):
    save_checkpoint(Neighbour(), tmp_path / checks.FILE)
    report = report_on(tmp_path, lambda: Neighbour(of=_counts))
    assert report.earned < 5


def test_the_controls_alone_name_what_is_wrong():
    images, labels = checks._drawn(3)

    def of(pictures):
        """What does not change when patches are shuffled: how much ink there is in each colour, and how dark."""
        return torch.cat((pictures.sum(dim=(2, 3)), pictures.square().sum(dim=(2, 3))), dim=1).double()

    def reads(pictures):
        """The right answer, however the patches lie."""
        return F.one_hot(labels[torch.cdist(of(pictures), of(images)).argmin(dim=1)], 10).double()

    shuffled = checks._shuffled(images, 3)
    assert not torch.equal(shuffled, images)
    assert torch.equal(shuffled.sum(dim=(1, 2, 3)).round(decimals=3), images.sum(dim=(1, 2, 3)).round(decimals=3))
    with pytest.raises(CheckFailure, match="It makes too little difference that") as caught:
        checks._must_hurt(
            reads, images, shuffled, labels, 3, "the patches of each picture are shuffled", "positions not used", ""
        )
    assert caught.value.cause == "positions not used"


def test_other_seeds_are_other_pictures():
    one, other = checks._drawn(3), checks._drawn(4)
    assert torch.equal(one[0][:, 0], other[0][:, 0])  # the held-out digits are what they are
    assert not torch.equal(one[0][:, 1:], other[0][:, 1:])
    assert len(one[1]) == checks.DRAWS * len(draw_colour_digits(None, 0, "one_fifth"))


@pytest.mark.slow
def test_the_solution_earns_the_same_sealed_and_here(tmp_path):
    from autograder.sandbox.box import Box

    lesson = find_course().solution_notebook(LESSON)
    files = {checks.FILE: (lesson.parent / checks.FILE).read_bytes()}
    (tmp_path / checks.FILE).write_bytes(files[checks.FILE])
    here = run_checks("my_vit", LocalStudent(notebooks.run(lesson).namespace, file=files_in(tmp_path)), 7)
    cells = notebooks.read(lesson)["cells"]
    with Box() as box:
        sealed = submission.grade(LESSON, cells, 7, box, files, only=["my_vit"])["exercises"][0]
    assert here.earned == here.points == sealed["earned"]
