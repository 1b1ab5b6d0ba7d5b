"""Split a sentence into words."""

import re
import unicodedata

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")  # letters and digits, with apostrophes inside: don't, o'clock


def words_of(text: str) -> list[str]:
    """Return the words of `text` in lower case, without punctuation: "A man's dog." gives ["a", "man's", "dog"].

    Hyphens and underscores separate words. Accented letters become one character, and curly apostrophes straight ones. Raises
    TypeError if `text` is no string.
    """
    if not isinstance(text, str):
        raise TypeError(f"Expected a caption as one string, got {type(text).__name__}.")
    plain = unicodedata.normalize("NFC", text).replace("\u2019", "'")
    return WORD.findall(plain.lower())
