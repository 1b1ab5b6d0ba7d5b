"""Words cut into pieces, so that a few thousand ids are enough for any text."""

from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from course_lib.data.special_tokens import ORDINARY, SPECIAL, UNK


def train_wordpieces(texts: Iterable[str], vocab_size: int, at_least: int = 2) -> Tokenizer:
    """Return a WordPiece tokenizer of Hugging Face's `tokenizers`, made for these texts (Devlin et al. 2019, section 3).

    Text is lower-cased and cut at white space and punctuation. The vocabulary begins with the five special tokens, ids 0 to 4,
    and the single characters; then the pair of pieces that comes most often in the texts becomes a piece, again and again,
    until there are `vocab_size` ids or no pair comes `at_least` times. A piece that continues a word begins with "##".
    `encode(text).ids` adds no special tokens.

    Raises ValueError if there is no text, or `vocab_size` leaves no room beside the special tokens.
    """
    texts = list(texts)
    if not any(text.strip() for text in texts):
        raise ValueError("Expected at least one text that is not empty, got none.")
    if vocab_size <= ORDINARY:
        raise ValueError(f"Expected vocab_size to be more than the {ORDINARY} special tokens, got {vocab_size}.")
    tokenizer = Tokenizer(models.WordPiece(unk_token=SPECIAL[UNK], max_input_chars_per_word=60))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size, min_frequency=at_least, special_tokens=list(SPECIAL), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
