"""Words, counts and merges that the checks of byte-pair encoding draw."""

from collections.abc import Callable, Mapping, Sequence

import torch

from autograder.checks import CheckFailure, Draw, inputs
from autograder.lessons.language_models import references

LECTURE: dict[str, int] = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
#: What is not English, or no text at all, as bytes.
STRANGE: tuple[list[int], ...] = (
    list("naïve".encode()),
    list("日本語".encode()),
    list("🤗👩🏽‍🚀".encode()),
    list("日本".encode()[1:4]),  # cut in the middle of two characters
    [255, 254, 128, 0, 10, 32],
    list(range(256)),
    [],
)


def ids(draw: Draw, length: int, letters: int = 3) -> list[int]:
    """Return a word of bytes, of so few letters that pairs come again."""
    return [97 + n for n in draw.integers(letters, length).tolist()]


def word_counts(draw: Draw, words: int, letters: int = 4, longest: int = 9, most: int = 1000) -> dict[str, int]:
    """Return words of 1 to ``longest`` letters, each coming 2 to ``most`` times: what comes once is for another row."""
    found: dict[str, int] = {}
    while len(found) < words:
        word = bytes(ids(draw, 1 + int(draw.integers(longest)), letters)).decode()
        found[word] = 2 + int(draw.integers(most - 1))
    return found


def steps(counts: Mapping[str, int], num_merges: int) -> list[bool]:
    """Return for each merge whether one pair is more frequent than all others."""
    words, clear = [list(word.encode("utf8")) for word in counts], []
    for k, pair in enumerate(references.train_bpe(counts, num_merges)):
        found = sorted(references.count_pairs(words, counts.values()).values())
        clear.append(len(found) == 1 or found[-1] > found[-2])
        words = [references.merge_pair(word, pair, references.BYTES + k) for word in words]
    return clear


def without_ties(draw_one: Callable[[], dict[str, int]], num_merges: int) -> dict[str, int]:
    """Draw until there are ``num_merges`` merges without a tie. Other checks are about ties, and about the end."""
    while True:
        counts = draw_one()
        if steps(counts, num_merges) == [True] * num_merges:
            return counts


def with_ties(draw_one: Callable[[], dict[str, int]], num_merges: int) -> dict[str, int]:
    """Draw until there are ``num_merges`` merges, with a tie for the most frequent pair at one of them."""
    while True:
        counts = draw_one()
        found = steps(counts, num_merges)
        if len(found) == num_merges and not all(found):
            return counts


def speech(generator: torch.Generator, words: int = 1009) -> dict[str, int]:
    """Return words made of syllables, the first ones far more frequent than the last ones, as in a language."""

    def pick(below: int) -> int:
        return int(torch.randint(below, (), generator=generator))

    syllables = ["".join(chr(97 + pick(26)) for _ in range(1 + pick(4))) for _ in range(97)]
    found: dict[str, int] = {}
    while len(found) < words:
        word = " " + "".join(syllables[min(pick(97), pick(97))] for _ in range(1 + pick(4)))
        found.setdefault(word, 1 + 20_000 // (len(found) + 1) + pick(7))
    return found


def describe_inputs(counts: Mapping[str, int], num_merges: int) -> str:
    """Return what was asked as text."""
    few = inputs.format_plain(dict(counts)) if len(counts) <= 4 else f"{len(counts)} words such as {[*counts][:3]}"
    return f"word_counts {few}, num_merges = {num_merges}"


def two_ids(pair: object) -> bool:
    return isinstance(pair, tuple | list) and len(pair) == 2 and all(map(inputs.is_integral, pair))


def pairs_of(value: object, setting: str) -> Sequence[Sequence[int]]:
    """Return merges if they are a list of pairs of ids, or fail."""
    if not isinstance(value, tuple | list):
        if value is None:
            inputs.token_ids(value, "The result")
        raise inputs.of_another_type(
            value,
            "The merges should be a list of pairs.",
            "no list of pairs",
            setting,
            hint="Merge k is entry k of the list, the pair (a, b). The id that it makes, 256 + k, need not be said.",
        )
    strange = [pair for pair in value if not two_ids(pair)]
    if strange:
        raise inputs.of_another_type(
            value,
            "Each merge should be a pair of ids, which are whole numbers.",
            "merges that are no pairs of ids",
            setting,
            f" with {inputs.format_plain(strange[0])} in it",
            "An entry of the list is the pair (a, b) of the two ids that are joined, and nothing else.",
        )
    return value


def computes(condition: bool, message: str) -> None:
    """Fail unless there is something to be seen: what does nothing leaves its arguments as they are, and that earns nothing."""
    if not condition:
        raise CheckFailure(
            "constant",
            message,
            received="constant",
            cause="nothing computed",
            hint="Follow the result back to the arguments: something on the way no longer uses them.",
        )
