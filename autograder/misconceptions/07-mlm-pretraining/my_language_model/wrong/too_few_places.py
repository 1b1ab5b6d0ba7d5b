"""There are positions for fewer tokens than a framed sentence has."""


def my_language_model():
    return MaskedLanguageModel(len(agreement_words()), 64, num_heads=4, num_blocks=2, max_length=17, dropout=0.0)
