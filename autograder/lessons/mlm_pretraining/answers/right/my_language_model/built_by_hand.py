"""The widths by their places, and the vocabulary as a number."""
def my_language_model(seed=0):
    torch.manual_seed(seed)
    model = MaskedLanguageModel(75, 64, 4, 2, 19)
    return model
