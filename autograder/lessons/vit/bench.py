"""Time a training step of lesson 11's Vision Transformer against Hugging Face's, and measure the trained model."""

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from autograder.checks.timing import AS_FAST, BenchmarkResult, Solution, step_ratio
from autograder.runtime import measure

#: (B, side of the picture, P, D, H, blocks): what the lesson trains, and something larger.
SHAPES = ((64, 8, 2, 64, 4, 3), (16, 32, 4, 192, 6, 6))
#: The text by which the cell that is run here is found.
CELLS = ("def draw_batch",)
SEED = "SEED, BATCH = 0,"
#: How much of ViTModel's time reading may take: 1.05 was measured.
READ = 1.1

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (("VisionTransformer", "class_token_last"),)


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield how fast the Vision Transformer learns, how fast it reads in DINOv2's sizes, and how well it reads."""
    yield from steps(solution)
    yield from reading(solution)
    yield from training(solution)


def steps(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield ratios: a step of the solution's model against ViTForImageClassification's.

    A step is forward, loss and backward. Both have the same sizes, one thread and no dropout: so the lesson trains, and so are
    the defaults of both. What is compared is processor time, which other programs do not change.
    """
    import torch
    import transformers

    names = solution.names()
    with measure.threads(1):
        for B, side, P, D, H, blocks in SHAPES:
            torch.manual_seed(0)
            ours = names["VisionTransformer"](names["ViTConfig"](side, side, 3, P, D, H, blocks, 2 * D, 10))
            config = transformers.ViTConfig(
                image_size=side,
                patch_size=P,
                hidden_size=D,
                num_hidden_layers=blocks,
                num_attention_heads=H,
                intermediate_size=2 * D,
            )
            config.num_labels = 10
            theirs = transformers.ViTForImageClassification(config)
            losses = _our_loss(ours), _their_loss(theirs)
            batch = _maker(B, side)
            ratio = step_ratio(ours, losses[0], theirs, losses[1], batch, rounds=(31, 61), clock=time.process_time)
            sizes = f"(B, pixels, P, D, H, blocks) = {(B, side, P, D, H, blocks)}"
            yield BenchmarkResult(
                f"vision transformer: step at {sizes}", ratio, AS_FAST, "of ViTForImageClassification's"
            )


def reading(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield the time of the solution's model in DINOv2's sizes (ViT-S/14) against ViTModel's, in processor time of one thread.

    Two pictures of 224 × 224. Time does not depend on the weights, which are random.
    """
    import torch
    import transformers

    names = solution.names()
    torch.manual_seed(0)
    ours = names["VisionTransformer"](names["ViTConfig"](224, 224, 3, 14, 384, 6, 12, 1536, 10)).eval()
    config = transformers.ViTConfig(
        image_size=224,
        patch_size=14,
        hidden_size=384,
        num_hidden_layers=12,
        num_attention_heads=6,
        intermediate_size=1536,
    )
    theirs = transformers.ViTModel(config, add_pooling_layer=False).eval()
    pictures = torch.randn(2, 3, 224, 224)

    def read(pictures: torch.Tensor) -> torch.Tensor:
        return ours(pictures, need_weights=False)[0]

    def read_by_vit(pictures: torch.Tensor) -> torch.Tensor:
        return theirs(pictures).last_hidden_state

    with measure.threads(1), torch.no_grad():
        ratio = measure.time_ratio(
            read, read_by_vit, lambda: (pictures,), [READ], rounds=(8, 31), clock=time.process_time
        )
    yield BenchmarkResult("reading with DINOv2's sizes: two pictures of 224 x 224", ratio.value, READ, "of ViTModel's")


def _our_loss(model: Any) -> Callable[[Any, Any], Any]:
    from torch.nn.functional import cross_entropy

    return lambda images, labels: cross_entropy(model(images, need_weights=False)[0], labels)


def _their_loss(model: Any) -> Callable[[Any, Any], Any]:
    return lambda images, labels: model(pixel_values=images, labels=labels).loss


def _maker(B: int, side: int) -> Callable[[], tuple[Any, Any]]:
    import torch

    generator = torch.Generator().manual_seed(0)
    return lambda: (torch.rand(B, 3, side, side, generator=generator), torch.randint(10, (B,), generator=generator))


def training(solution: Solution, seed: int = 0) -> Iterator[BenchmarkResult]:
    """Yield the figures of the model that the notebook trains from this seed."""
    names = solution.retrain(CELLS, SEED, seed)
    yield BenchmarkResult("vision transformer: minutes of training", names["history"].seconds / 60, 3.0, "min", "lower")
    yield BenchmarkResult("vision transformer: held-out digits read", held_out(names["vit"]), 0.98, "of 355", "higher")


def held_out(model: Any, draws: int = 5) -> float:
    """Return the share of the held-out red digits that are read, the mean over several draws of the digits above them."""
    import torch

    from course_lib.data import draw_colour_digits

    shares = []
    for seed in range(draws):
        drawn = draw_colour_digits(None, seed, "one_fifth")
        with torch.no_grad():
            said = model.cpu().eval()(drawn.images, need_weights=False)[0].argmax(dim=1)
        shares.append((said == drawn.labels).double().mean().item())
    return statistics.mean(shares)
