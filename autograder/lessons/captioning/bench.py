"""Train the captioner of lesson 06 from scratch with the notebook's own cells, and measure it."""

from collections.abc import Iterator
from typing import Any

from autograder.checks.timing import BenchmarkResult, Solution
from autograder.lessons.captioning import references
from autograder.lessons.captioning.checks.trained import Written, accuracy, cells_of, pointing

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (("CaptionDecoder", "context_before_the_embedding"),)

#: Texts by which the cells that are run here are found: the data, and the training.
CELLS = ("def draw_batch", "def loss_of")
SEED = "SEED, SCENES, BATCH = 0,"

#: The lesson says that 95 % of the captions are exact. Of 1,000 scenes, the standard error is 0.7 %; two are allowed.
EXACT = 0.936


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield the measurements of a captioner after the training time that the lesson states."""
    yield from captioner(solution)


def captioner(solution: Solution, seed: int = 0) -> Iterator[BenchmarkResult]:
    """Yield the figures of the captioner that the notebook trains from this seed."""
    names = solution.retrain(CELLS, SEED, seed)
    yield BenchmarkResult("captioner: minutes of training", names["history"].seconds / 60, 3.0, "min", "lower")
    found = judge(names["captioner"], seed)
    yield BenchmarkResult("captioner: exact captions of held-out scenes", found["exact"], EXACT, "of 1000", "higher")
    yield BenchmarkResult(
        "captioner: attention in the box of the named digit", found["pointing"], 0.9, "of the weight", "higher"
    )
    yield BenchmarkResult("captioner: captions exact for another scene", found["shuffled"], 0.05, "of 1000", "lower")


def judge(model: Any, seed: int, count: int = 1000) -> dict[str, float]:
    """Return the shares of exact captions, of the attention inside the boxes, and of captions that fit another scene."""
    from course_lib.data import draw_scenes

    scenes = draw_scenes(count, 10**6 + seed, "held_out")
    written = Written(*references.greedy_caption(model, cells_of(scenes)))
    others = written.captions.roll(1, 0)
    return {
        "exact": accuracy(scenes, written.captions),
        "pointing": pointing(scenes, written),
        "shuffled": accuracy(scenes, others),
    }
