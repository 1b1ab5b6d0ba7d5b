"""Byte-pair encoding: the solution's training against Hugging Face's, which is written in Rust, and against counting again."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograder.checks.timing import BenchmarkResult, Solution
from autograder.runtime import measure

MERGES = 2000
#: Against counting everything again there are fewer: it takes that long.
FEWER = 1000


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield two ratios of processor time, on the Python documentation, each of one thread.

    Both trainers begin from the texts and cut them into words themselves: ours in Python's `re`, theirs in Rust. That is
    most of the time that theirs takes.
    """
    from course_lib.data import python_english, word_counts

    names = solution.names()
    texts = [paragraph for document in python_english("train") for paragraph in document.paragraphs]
    counts = word_counts(texts)

    def ours(texts: Sequence[str]) -> Any:
        return names["train_bpe_fast"](word_counts(texts), MERGES)

    against = measure.time_ratio(ours, _theirs(), lambda: (texts,), [3.0], rounds=(5, 15), clock=time.process_time)
    yield BenchmarkResult(f"byte pairs: {MERGES} merges of a text, against tokenizers", against.value, 3.0, "times")
    fast, again = (_seconds(names[name], counts, FEWER) for name in ("train_bpe_fast", "train_bpe"))
    yield BenchmarkResult(
        f"byte pairs: {FEWER} merges, faster than counting again", again / fast, 20.0, "times", "higher"
    )


def _seconds(train: Callable[..., Any], *args: Any) -> float:
    start = time.process_time()
    train(*args)
    return time.process_time() - start


def _theirs() -> Callable[[Sequence[str]], Any]:
    """Return a function that trains Hugging Face's tokenizer of bytes with as many merges, on one thread."""
    import os

    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    os.environ["TOKENIZERS_PARALLELISM"] = "false"

    def train(texts: Sequence[str]) -> Any:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        trainer = trainers.BpeTrainer(vocab_size=256 + MERGES, initial_alphabet=alphabet, show_progress=False)
        tokenizer.train_from_iterator(texts, trainer)
        return tokenizer

    return train
