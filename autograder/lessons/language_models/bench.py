"""What lesson 06 measures, one module for each part of the lesson."""

from collections.abc import Iterator

from autograder.judging.figure import Figure, Solution
from autograder.lessons.language_models import bench_tokens

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (
    # part A
    ("train_bpe", "first_of_a_tie"),
    # part B
    # part C
)


def figures(solution: Solution) -> Iterator[Figure]:
    """Yield the figures of each part."""
    # part A
    yield from bench_tokens.figures(solution)
    # part B
    # part C
