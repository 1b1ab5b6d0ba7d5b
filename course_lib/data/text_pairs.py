"""Sentence pairs from files, in the form in which Tatoeba and Anki (manythings.org/anki) distribute them."""

import os
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

#: Invisible characters: byte order mark, soft hyphen, zero-width characters, and marks that change the direction of writing.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_ELISION = r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'"
_TOKEN = re.compile(rf"{_ELISION}(?=\w)|[^\W_]+(?:['-][^\W_]+)*|[^\w\s]")

Words = list[str]


def tokens_of(text: str) -> Words:
    """Return words and punctuation marks in lower case: "J'aime l'art, Zoé !" gives j' aime l' art , zoé !

    A French word elided before a vowel is a token with its apostrophe; "don't" and "as-tu" stay one. Accented letters become one
    character, curly apostrophes become straight, and invisible characters are left out.
    """
    plain = _UNSEEN.sub("", unicodedata.normalize("NFC", text)).replace("\u2019", "'").replace("\u2011", "-")
    return _TOKEN.findall(plain.lower())


def tab_separated_pairs(
    path: str | os.PathLike[str], longest: int | None = None, most: int | None = None
) -> tuple[list[Words], list[Words]]:
    """Return the sentences of both columns as lists of tokens, in the order of the file.

    A line is "sentence TAB translation", optionally followed by TAB and a licence, which is ignored. Empty lines and repeated
    pairs are skipped. longest: pairs with a sentence of more tokens are skipped; most: the maximum number of pairs.

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
    """Return the tokens of at most `most` distinct pairs, none of them empty or too long."""
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
