"""Normalise and compare names of people."""

import re
import unicodedata

#: Letters that have no decomposition, as people without that key on their keyboard write them.
_PLAIN = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})


def casefold_name(text: str) -> str:
    """Return the text in the form in which ids and names are compared: NFKC, without case, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def full_name(text: str) -> str:
    """Return the letters and digits of a text in one piece: Canvas writes ``Lovelace, Ada`` as ``lovelaceada``."""
    return "".join(letter for letter in casefold_name(text) if letter.isalnum())


def words(text: str) -> tuple[str, ...]:
    """Return the words of a name in alphabetical order: platforms disagree on which of the names comes first."""
    return tuple(sorted(re.findall(r"[^\W_]+", casefold_name(text))))


def name_variants(text: str) -> set[str]:
    """Return a text as it is, without accents, and with umlauts written as two letters."""
    plain = casefold_name(text)
    without = "".join(letter for letter in unicodedata.normalize("NFD", plain) if not unicodedata.combining(letter))
    both = unicodedata.normalize("NFC", plain).translate(_UMLAUTS)
    bare = "".join(letter for letter in unicodedata.normalize("NFD", both) if not unicodedata.combining(letter))
    return {plain, without.translate(_PLAIN), bare.translate(_PLAIN)}
