"""Dropout does nothing in eval mode and has no weights."""


def my_language_model():
    return MaskedLanguageModel(len(agreement_words()), 64, num_heads=4, num_blocks=2, max_length=19, dropout=0.1)
