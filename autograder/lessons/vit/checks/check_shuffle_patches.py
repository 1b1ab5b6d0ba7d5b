"""shuffle_patches(images, patch_size, order), and the experiment that is measured with it."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Student,
    exercise,
    expect,
    measured,
    modules,
    points,
    promises,
    weights,
)
from autograder.lessons.vit import references
from autograder.lessons.vit.checks import functions, trained

NAME = "shuffle_patches"
#: (B, C, H, W, P), the smallest first.
SIZES = ((1, 1, 2, 4, 2), (2, 1, 2, 4, 2), (2, 3, 4, 4, 2), (3, 2, 6, 9, 3), (2, 3, 8, 8, 2), (4, 1, 4, 6, 1))
FILE = "no_positions.safetensors"
RESULTS = "results.json"
NAMES = ("as they are", "shuffled", "as they are, no positions", "shuffled, no positions")
#: How far a measured share may lie from the one that is measured here: 3 of the 355 pictures, as another machine may read them.
WITHIN = 0.009
#: The share of the pictures that no model reads without training. Chance is 0.1.
LEARNED = 0.2
#: By how much who learned with positions reads shuffled pictures worse than ordered ones, and worse than who learned without:
#: a share of at least 0.36 after a twentieth of the steps, in which both are still similar, and 0.72 at the end. In a copy whose
#: positions were set to 0 or drawn, one of the two is next to nothing.
EFFECT = 0.25


def _order(draw: Draw, B, H, W, P):
    """Draw an order of the patches for each picture."""
    return draw.normal(B, (H // P) * (W // P)).argsort(dim=1)


def _compare(student: Student, images, P, order, more=""):
    setting = f"images {tuple(images.shape)}{more}, patch_size = {P}, order {tuple(order.shape)}"
    want = references.shuffle_patches(images, P, order)
    functions.same_value(student, NAME, (images, P, order), want, "The pictures", "(B, C, H, W)", setting)


@exercise(NAME)
@points(1)
def check_values(student: Student, draw: Draw) -> None:
    """Patch n of the result is patch order[b, n] of the picture, for every picture in its own order"""
    _compare(student, functions.pixels(1, 1, 2, 4), 2, torch.tensor([[1, 0]]), " whose pixels are numbered from 0")
    _compare(
        student, functions.pixels(1, 1, 4, 4), 2, torch.tensor([[1, 2, 3, 0]]), " whose pixels are numbered from 0"
    )
    for B, C, H, W, P in SIZES:
        _compare(student, draw.normal(B, C, H, W), P, _order(draw, B, H, W, P))


@exercise(NAME)
@points(1)
@promises
def check_what_it_keeps(student: Student, draw: Draw) -> None:
    """It changes nothing in place, keeps the dtype, and an order that changes nothing gives the pictures back"""
    images, order = draw.normal(2, 3, 4, 6, dtype=torch.float32), _order(draw, 2, 4, 6, 2)
    args = (images, 2, order)
    functions.keeps(student, NAME, args, references.shuffle_patches, "The pictures", ("images", "patch_size", "order"))
    _compare(student, draw.normal(2, 3, 6, 4).mT, 2, order, ", transposed ones")
    first, second = (
        expect.tensor(student.shuffle_patches(images, 2, each), "The result") for each in (order, order.flip(1))
    )
    expect.depends_on_its_inputs(first, second, "The result")
    _compare(student, images.double(), 2, torch.arange(6).expand(2, -1), ", in the order that they have")


@exercise(NAME)
@points(1)
@measured
def check_results_are_there(student: Student, seed: int) -> None:
    """results.json holds a prediction and a measurement for both models"""
    weights.results(student, RESULTS, NAMES)


@exercise(NAME)
@points(1)
@measured
def check_results_are_measured(student: Student, draw: Draw) -> None:
    """The numbers in results.json are those of the two models that were handed in, the second of which has no positions"""
    from course_lib.data import draw_colour_digits

    found = weights.results(student, RESULTS, NAMES)
    held_out = draw_colour_digits(None, seed=7, part="one_fifth")
    order = torch.rand((len(held_out.labels), 16), generator=torch.Generator().manual_seed(1)).argsort(dim=1)
    pictures = {"as they are": held_out.images, "shuffled": references.shuffle_patches(held_out.images, 2, order)}
    models = [trained.loaded(student, held_out.images[::50], file) for file in (trained.FILE, FILE)]
    positions = dict(models[1].named_parameters())["positions"]
    if positions.any():
        raise CheckFailure(
            "results",
            f"The positions in {FILE} are not 0.",
            expected="positions of 0",
            yours=f"values up to {float(positions.abs().max()):.3g}",
            received="positions",
            cause="positions were trained",
            hint="model.positions.requires_grad_(False).zero_() before the training, as train_vit does.",
        )
    again = {
        f"{name}{more}": trained.right(model, images, held_out.labels)
        for model, more in zip(models, ("", ", no positions"), strict=True)
        for name, images in pictures.items()
    }
    setting = f"the {len(held_out.labels)} held-out pictures"
    unlearned = {name: share for name, share in again.items() if name.startswith("as they are") and share < LEARNED}
    weights.require_learned(unlearned, f"at least {LEARNED:.0%} of the pictures", setting)
    drawn = draw_colour_digits(None, seed=draw.new_seed(), part="one_fifth").images
    weights.require_two_trainings(
        models,
        "feed_forward.W_1",
        lambda model: modules.in_batches(lambda part: model(part)[0], drawn, model=model).softmax(-1),
        f"{len(drawn)} drawn pictures",
        may_be_similar=min(again[name] for name in NAMES if name.startswith("as they are")) - again["shuffled"]
        > EFFECT,
    )
    weights.confirm(found, again, WITHIN, setting)
