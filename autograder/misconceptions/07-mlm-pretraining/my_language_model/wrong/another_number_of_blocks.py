"""There is one block more than was trained. Look at the cell that trains."""


def my_language_model():
    return MaskedLanguageModel(len(agreement_words()), 64, num_heads=4, num_blocks=3, max_length=19, dropout=0.0)
