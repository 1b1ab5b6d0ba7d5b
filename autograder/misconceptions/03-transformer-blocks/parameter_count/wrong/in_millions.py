"""The number is given in millions and rounded. Look at what the exercise asks for: a whole
number."""


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    count = sum(parameter.numel() for parameter in model.parameters())
    return round(count / 1e6)
