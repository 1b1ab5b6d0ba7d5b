"""The sizes of each tensor are added up instead of multiplied. Look at how many numbers a matrix
holds."""


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    return sum(sum(parameter.shape) for parameter in model.parameters())
