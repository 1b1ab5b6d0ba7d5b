"""The solution's search in chunks: its time and its memory against all products at once."""

import functools
from collections.abc import Iterator

import torch

from autograder.judging import measure
from autograder.judging.figure import Figure, Solution
from autograder.lessons.retrieval import references
from course_lib.devices import peak_memory

#: Queries, documents, width and k.
SHAPES = ((64, 100_000, 32, 10), (256, 50_000, 64, 100))

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (
    ("in_batch_loss", "hits_are_wrong_answers"),
    ("TextTower", "mean_over_padding"),
)


def figures(solution: Solution) -> Iterator[Figure]:
    """Yield time (processor time of one thread) and memory of chunked_top_k, each as a ratio."""
    chunked = solution.names()["chunked_top_k"]
    generator = torch.Generator().manual_seed(0)
    with measure.threads(1), torch.no_grad():
        for B, M, D, k in SHAPES:

            def fresh(B: int = B, M: int = M, D: int = D, k: int = k) -> tuple:
                return *(torch.randn(n, D, generator=generator) for n in (B, M)), k

            ratio = measure.time_ratio(chunked, references.chunked_top_k, fresh, [1.1], rounds=(8, 31))
            seen = f"of one product and topk (between {ratio.low:.2f} and {ratio.high:.2f})"
            yield Figure(f"chunked search: time at (B, M, D, k) = {(B, M, D, k)}", ratio.value, 1.1, seen)
            peak = peak_memory(functools.partial(chunked, *fresh()))
            yield Figure(f"chunked search: memory at M = {M}", peak / (4 * B * M), 0.1, "of all products")
