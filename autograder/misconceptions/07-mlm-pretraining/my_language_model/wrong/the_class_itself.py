"""The class itself is returned, not a model. Look at what makes an object of a class."""


def my_language_model():
    return MaskedLanguageModel
