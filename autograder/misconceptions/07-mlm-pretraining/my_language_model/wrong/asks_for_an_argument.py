"""The function asks for an argument, but when your work is graded it is called without any."""


def my_language_model(model_width):
    return MaskedLanguageModel(len(agreement_words()), model_width, 4, 2, 19, 0.0)
