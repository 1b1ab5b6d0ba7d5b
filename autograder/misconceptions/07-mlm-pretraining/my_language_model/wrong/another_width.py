"""The width is not the one that was trained. Look at the cell that trains."""


def my_language_model():
    return MaskedLanguageModel(len(agreement_words()), 32, num_heads=4, num_blocks=2, max_length=19, dropout=0.0)
