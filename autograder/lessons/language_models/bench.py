"""The benchmarks of lesson 07, one module for each part of the lesson."""

from collections.abc import Iterator

from autograder.checks.timing import BenchmarkResult, Solution
from autograder.lessons.language_models import bench_model, bench_tokens

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (
    ("train_bpe", "first_of_a_tie"),
    ("GPT", "documents_ignored"),
)


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield the figures of each part."""
    yield from bench_tokens.figures(solution)
    yield from bench_model.figures(solution)
