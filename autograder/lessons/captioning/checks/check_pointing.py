"""pointing(maps, regions, counts), and the experiment that is measured with it."""

import torch
from torch import Tensor, nn

from autograder.checks import Draw, Student, close_numbers, exercise, measured, points, scalar, weights
from autograder.lessons.captioning import references
from autograder.lessons.captioning.checks import trained

NAME = "pointing"
FILE = "no_price.safetensors"
RESULTS = "results.json"
NAMES = ("exact", "pointing", "exact, no price", "pointing, no price")
#: The scenes of the notebook's section 1.
SCENES, SEED = 1000, 5
#: How far a measured share may lie from the one that is measured here: 15 of the 1000 scenes, as another machine may write them.
WITHIN = 0.015
#: The share of exact captions above which a captioner earns points for them. A copy whose first state is drawn anew stays below.
LEARNED = 0.25
#: Two captioners that begin with the same weights are similar after a few steps, and after many small ones. Then the second is as
#: good as the first, its attention, without the price, is spread over more cells (an entropy 1.3 to 1.6 times as large), and this
#: is more than a change of temperature (0.10 to 0.15 of the weight lies elsewhere). A copy with noise writes worse; in one with
#: another temperature 0.02 of the weight lies elsewhere.
AS_GOOD, SPREAD, ELSEWHERE = 1.25, 1.2, 0.09


def _drawn(draw: Draw, B: int, L: int, T: int, height: int = 3, width: int = 4) -> tuple[Tensor, Tensor, Tensor]:
    """Draw weights (B, L, height, width) that sum to 1, regions (B, T, height, width), and which captions count (B,).

    Every third word has an empty region.
    """
    maps = torch.softmax(2 * draw.normal(B, L, height * width), dim=-1).reshape(B, L, height, width)
    regions = draw.normal(B, T, height, width) > 0.3
    regions[..., 0, 0] = True
    regions[draw.permutation(B * T).reshape(B, T) % 3 == 0] = False
    counts = draw.permutation(B) % 3 != 1
    return maps, regions, counts


def _agree(student: Student, given: tuple[Tensor, Tensor, Tensor], setting: str = "") -> None:
    setting = setting or f"maps {tuple(given[0].shape)}, regions {tuple(given[1].shape)}"
    got = scalar(student.pointing(*given), "The share", setting)
    close_numbers({"share": got}, {"share": references.pointing(*given)}, "The share is wrong.", setting)


@exercise(NAME)
@points(3)
def check_values(student: Student, draw: Draw) -> None:
    """The mean, over all words that name a digit, of the weight inside its box"""
    for B, L, T in ((1, 2, 2), (1, 3, 3), (1, 4, 4), (2, 3, 3), (3, 5, 5), (4, 7, 7)):
        maps, regions, counts = _drawn(draw, B, L, T)
        _agree(student, (maps, regions, torch.ones_like(counts)))
    maps, regions, counts = _drawn(draw, 2, 3, 3)
    regions[0, 0], regions[0, :, -1, -1] = True, False
    maps[0], maps[0, :, -1, -1] = 0.0, 1.0
    _agree(student, (maps, regions, torch.ones_like(counts)), "the words of caption 0 have no weight in any box")


@exercise(NAME)
@points(2)
def check_what_counts(student: Student, draw: Draw) -> None:
    """Captions that do not count are left out, so are words beyond the shorter of the two; without any word it is 0.0"""
    for B, L, T in ((2, 3, 3), (3, 2, 2), (5, 4, 4), (7, 3, 3)):
        _agree(student, _drawn(draw, B, L, T))
    maps, regions, counts = _drawn(draw, 5, 4, 4)
    _agree(student, (maps, regions, torch.arange(5) == 2), "one caption of five counts")
    for L, T in ((3, 5), (5, 3), (1, 4)):
        _agree(student, _drawn(draw, 4, L, T))
    _agree(student, (maps, regions, torch.zeros_like(counts)), "no caption counts")
    _agree(student, (maps, torch.zeros_like(regions), torch.ones_like(counts)), "no word names a digit")


@exercise(NAME)
@points(1)
@measured
def check_results_are_there(student: Student, seed: int) -> None:
    """results.json holds a prediction and a measurement for both captioners"""
    weights.results(student, RESULTS, NAMES)


def _is_as_good(first: float, second: float) -> bool:
    """Return whether the second makes about as many errors, up to a quarter more and 1 % of the captions."""
    return 1 - second < AS_GOOD * (1 - first) + 0.01


def _is_spread(first: Tensor, second: Tensor) -> bool:
    """Return whether the second model's weights, (words, cells) each, are spread more, and not by another temperature alone."""
    entropies = [float(torch.special.entr(looked).sum(dim=-1).mean()) for looked in (first, second)]
    logs, temperatures = first.clamp(min=1e-12).log(), torch.linspace(0.4, 4, 73)
    elsewhere = min(float(((logs / T).softmax(-1) - second).abs().sum(-1).mean() / 2) for T in temperatures)
    return entropies[1] > SPREAD * entropies[0] and elsewhere > ELSEWHERE


@exercise(NAME)
@points(4)
@measured
def check_results_are_measured(student: Student, seed: int) -> None:
    """The numbers in results.json are those of the two captioners that were handed in, measured again"""
    from course_lib.data import draw_scenes, scene_vocabulary

    found = weights.results(student, RESULTS, NAMES)
    models = [trained.loaded(student, seed, file) for file in (trained.FILE, FILE)]
    scenes = draw_scenes(SCENES, SEED, "held_out")
    cells = trained.cells_of(scenes)
    again: dict[str, float] = {}
    for model, more in zip(models, ("", ", no price"), strict=True):
        its = trained.write(model, cells)
        again |= {
            f"exact{more}": trained.accuracy(scenes, its.captions),
            f"pointing{more}": trained.pointing(scenes, its),
        }
    setting = f"the {SCENES} scenes of section 1"
    unlearned = {name: share for name, share in again.items() if name.startswith("exact") and share < LEARNED}
    weights.require_learned(unlearned, f"at least {LEARNED:.0%} exact captions", setting)
    drawn = trained.scenes_of(seed)
    captions, few = scene_vocabulary().batch(drawn.captions)[0], trained.cells_of(drawn)

    @torch.no_grad()
    def looks(model: nn.Module) -> Tensor:
        """Return where the model looks, (words, cells), while it reads the captions of the drawn scenes."""
        looked: Tensor = model(few, captions)[1][captions != references.PAD]
        return looked

    weights.require_two_trainings(
        models,
        "cell",
        looks,
        f"where they look in {len(few)} drawn scenes",
        may_be_similar=_is_as_good(again["exact"], again["exact, no price"]) and _is_spread(*map(looks, models)),
    )
    weights.confirm(found, again, WITHIN, setting)
