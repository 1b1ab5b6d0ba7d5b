"""Cut words into pieces, so that a few thousand ids suffice for any text."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from course_lib.data.special_tokens import ORDINARY, SPECIAL, UNK

if TYPE_CHECKING:  # loaded when needed: only one lesson needs it
    from tokenizers import Tokenizer


def train_wordpieces(texts: Iterable[str], vocab_size: int, at_least: int = 2) -> "Tokenizer":
    """Return a WordPiece tokenizer of Hugging Face's `tokenizers`, made for these texts (Devlin et al. 2019, section 3).

    Text is lower-cased and cut at white space and punctuation. The vocabulary begins with the five special tokens, ids 0 to 4,
    and the single characters; then the most frequent pair of pieces in the texts becomes a piece, repeatedly, until there are
    `vocab_size` ids or no pair occurs `at_least` times. A piece that continues a word begins with "##".
    `encode(text).ids` adds no special tokens.

    Raises ValueError if there is no text, or `vocab_size` leaves no room beside the special tokens.
    """
    from tokenizers import trainers

    texts = list(texts)
    if not any(text.strip() for text in texts):
        raise ValueError("Expected at least one text that is not empty, got none.")
    if vocab_size <= ORDINARY:
        raise ValueError(f"Expected vocab_size to be more than the {ORDINARY} special tokens, got {vocab_size}.")
    tokenizer = _untrained({})
    # The trainer numbers the letters that continue a word in the order of a map, which differs from run to run, and breaks ties
    # by these numbers. Listed here in order, they are always the same, so that the same texts give the same ids.
    words = (word for text in texts for word, _ in _words(tokenizer, text))
    letters = sorted({letter for word in words for letter in word[1:]})
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size,
        min_frequency=at_least,
        special_tokens=[*SPECIAL, *(f"##{letter}" for letter in letters)],
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return _untrained(tokenizer.get_vocab())


def _untrained(vocabulary: dict[str, int]) -> "Tokenizer":
    """Return a WordPiece tokenizer with these pieces, in which only the five special tokens are special."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=SPECIAL[UNK], max_input_chars_per_word=60))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    if vocabulary:
        tokenizer.add_special_tokens(list(SPECIAL))
    return tokenizer


def _words(tokenizer: "Tokenizer", text: str) -> list[tuple[str, tuple[int, int]]]:
    """Return the words of a text with their positions, as cut by the tokenizer."""
    return tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text))
