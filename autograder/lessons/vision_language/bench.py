"""Time a step of lesson 12's contrastive loss against that of Hugging Face's CLIP, and measure the trained models."""

import time
from collections.abc import Iterator
from typing import Any

from autograder.checks.timing import BenchmarkResult, Solution
from autograder.runtime import measure

#: (B, D): what the lesson trains, and a batch as large as one machine's part of CLIP's.
SHAPES = ((128, 32), (1024, 512))
#: Texts by which the cells that are run here are found, and the line of each that sets its seed.
CLIP, CLIP_SEED = ("def say_the_same",), "SEED, BATCH, STEPS = 0,"
ANSWERS, ANSWERS_SEED = ("def regions_and_questions",), "QUESTION_SEED, QUESTION_STEPS = 0,"

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (("clip_loss", "one_direction"), ("CoAttentionBlock", "one_after_the_other"))


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield how fast a step of the loss is, and how well the models that the notebook trains do."""
    yield from steps(solution)
    yield from found(solution)


def steps(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield ratios: forward and backward of the solution's `clip_loss` against transformers' CLIP loss on the same vectors.

    Both get vectors of length 1 and the logarithm of the scale. What is compared is processor time of one thread.
    """
    import torch
    from transformers.models.clip import modeling_clip

    ours = solution.names()["clip_loss"]

    def theirs(images: Any, texts: Any, log_scale: Any) -> Any:
        return modeling_clip.image_text_contrastive_loss(log_scale.exp() * texts @ images.T)

    def step(loss: Any) -> Any:
        def run(*inputs: Any) -> None:
            loss(*inputs).backward()

        return run

    generator = torch.Generator().manual_seed(0)
    with measure.threads(1):
        for B, D in SHAPES:

            def make(B: int = B, D: int = D) -> tuple[Any, ...]:
                vectors = (
                    torch.nn.functional.normalize(torch.randn(B, D, generator=generator), dim=1) for _ in range(2)
                )
                return *(x.requires_grad_() for x in vectors), torch.tensor(2.6, requires_grad=True)

            ratio = measure.time_ratio(step(ours), step(theirs), make, [1.0], (31, 61), clock=time.process_time)
            yield BenchmarkResult(
                f"clip_loss: step at (B, D) = {(B, D)}", ratio.value, 1.0, "of transformers' CLIP loss's"
            )


def found(solution: Solution, seed: int = 0) -> Iterator[BenchmarkResult]:
    """Yield the figures of the models that the notebook trains from this seed, on held-out handwriting."""
    names = solution.retrain(CLIP, CLIP_SEED, seed)
    yield BenchmarkResult("clip: minutes of training", names["history"].seconds / 60, 3.0, "min", "lower")
    yield BenchmarkResult("clip: retrieval at 1 among 100", retrieval(names["clip"]), 0.95, "of the bound", "higher")
    yield BenchmarkResult("clip: digits of unseen combinations", unseen(names["clip"]), 0.90, "", "higher")
    names = solution.retrain(ANSWERS, ANSWERS_SEED, seed)
    yield BenchmarkResult("answers: minutes of training", names["history"].seconds / 60, 3.0, "min", "lower")
    yield BenchmarkResult("answers: right", answered(names["answering"]), 0.95, "", "higher")


def retrieval(model: Any, seed: int = 5) -> float:
    """Return the recall of pictures and captions among 100, divided by the highest that equal captions allow."""
    from autograder.lessons.vision_language.checks import check_my_clip
    from autograder.lessons.vision_language.checks.trained import vectors

    images, ids, said = check_my_clip.pairs_of(seed)
    share, bound = check_my_clip.own_found(*vectors(model.cpu().eval().requires_grad_(False), images, ids), said)
    return share / bound


def unseen(model: Any, seed: int = 5) -> float:
    """Return the share of digits named in inks in which they never occurred in the training."""
    from autograder.lessons.vision_language.checks import check_my_clip

    return check_my_clip.unseen_named(model.cpu().eval().requires_grad_(False), seed)


def answered(model: Any, seed: int = 5) -> float:
    """Return the share of right answers to questions about scenes of held-out handwriting."""
    from autograder.lessons.vision_language.checks import check_my_answers
    from autograder.lessons.vision_language.checks.trained import right_answers

    asked = check_my_answers.asked(seed)
    return float(right_answers(model.cpu().eval().requires_grad_(False), *asked).double().mean())
