"""The language of the scenes, which determines the right caption.

    caption  = group, or group relation group, or group relation group relation group
    group    = "a" size digit, or "two" size digits, or "three" size digits      ("an" before "eight")
    size     = "small", nothing, or "large"
    relation = "left of", "right of", "above" or "below"

Every scene has exactly one right caption. Digits of equal value and size form a group. Groups are mentioned in the order of
their values, from zero to nine, those of equal value from small to large, regardless of their positions. Each relation is that
of a group to the next one mentioned.
"""

from collections.abc import Sequence

from course_lib.data.vocabulary import Vocabulary

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
PLURALS = ("zeros", "ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines")
COUNTS = ("two", "three")  # the words for two and three digits; they are digits, too
SIZES = ("small", "", "large")
RELATIONS = ("left of", "right of", "above", "below")
LONGEST = 13  # words: a small two left of a small three right of a large seven


def scene_vocabulary() -> Vocabulary:
    """Return the vocabulary of all words that a scene's caption can hold."""
    return Vocabulary(("a", "an", "small", "large", "left", "right", "of", "above", "below", *DIGITS, *PLURALS))


def group_words(digit: int, size: int, count: int) -> list[str]:
    """Return the words for `count` equal digits, as in ["two", "small", "fives"]; the last one is the digit.

    size: 0 for small, 1 for the middle size (which has no word), 2 for large.
    """
    noun = DIGITS[digit] if count == 1 else PLURALS[digit]
    adjective = [SIZES[size]] if SIZES[size] else []
    if count > 1:
        return [COUNTS[count - 2], *adjective, noun]
    return ["an" if not adjective and noun == "eight" else "a", *adjective, noun]


def caption_words(groups: Sequence[tuple[int, int, int]], relations: Sequence[int]) -> tuple[list[str], list[int]]:
    """Return the words of a caption, and the indices of the words that name the groups' digits.

    groups: (digit, size, count) in the order in which they are mentioned; relations: the index into RELATIONS of each
    group's relation to the next.
    """
    words: list[str] = []
    places = []
    for index, group in enumerate(groups):
        words += group_words(*group)
        places.append(len(words) - 1)
        if index < len(groups) - 1:
            words += RELATIONS[relations[index]].split()
    return words, places
