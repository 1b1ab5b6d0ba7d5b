"""Sentence pairs from files, in the form in which Tatoeba and Anki (manythings.org/anki) distribute them."""

import os
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

#: Marks that are not seen: byte order, soft hyphen, zero-width characters, and those that turn the direction of writing.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_ELISION = r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'"
_TOKEN = re.compile(rf"{_ELISION}(?=\w)|[^\W_]+(?:['-][^\W_]+)*|[^\w\s]")

Words = list[str]


def tokens_of(text: str) -> Words:
    """Return words and punctuation marks in lower case: "J'aime l'art, Zoé !" gives j' aime l' art , zoé !

    A French word that is cut short before a vowel is a token with its apostrophe; "don't" and "as-tu" stay one. Accented letters
    are one character however they were written, curly apostrophes are straight, and marks that are not seen are left out.
    """
    plain = _UNSEEN.sub("", unicodedata.normalize("NFC", text)).replace("\u2019", "'").replace("\u2011", "-")
    return _TOKEN.findall(plain.lower())


def tab_separated_pairs(
    path: str | os.PathLike[str], longest: int | None = None, most: int | None = None
) -> tuple[list[Words], list[Words]]:
    """Return the sentences of both columns as lists of tokens, in the order of the file.

    A line is "sentence TAB translation", and perhaps TAB licence, which is left out. Empty lines and pairs that have come before
    are skipped. longest: pairs with a sentence of more tokens are skipped; most: how many pairs to return.

    Raises FileNotFoundError, and ValueError if the file is not UTF-8, a line has no second column or no pair is left.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"There is no file {file}. Expected sentence pairs such as fra.txt.")
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"Expected {file} to be text in UTF-8: {error}.") from None
    pairs = chosen(_columns(lines, file), longest, most)
    if not pairs[0]:
        raise ValueError(f"Expected {file} to hold sentence pairs, got none of at most {longest} tokens.")
    return pairs


def chosen(
    pairs: Iterable[tuple[str, str]], longest: int | None = None, most: int | None = None
) -> tuple[list[Words], list[Words]]:
    """Return the tokens of all pairs, each pair once, none empty, none too long, and not more than `most`."""
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], None] = {}
    for pair in pairs:
        first, second = (tuple(tokens_of(text)) for text in pair)
        if first and second and (longest is None or max(len(first), len(second)) <= longest):
            found[first, second] = None
        if most is not None and len(found) >= most:
            break
    return [list(first) for first, _ in found], [list(second) for _, second in found]


def _columns(lines: Iterable[str], file: Path) -> Iterable[tuple[str, str]]:
    for number, line in enumerate(lines, start=1):
        if not _UNSEEN.sub("", line).strip():
            continue
        parts = line.rstrip("\r").split("\t")
        if len(parts) < 2:
            raise ValueError(
                f"Expected line {number} of {file} to be a sentence, a tab and its translation, got {line!r}."
            )
        yield parts[0], parts[1]
