"""Nothing is returned."""


def my_language_model():
    MaskedLanguageModel(len(agreement_words()), 64, 4, 2, 19, 0.0)
