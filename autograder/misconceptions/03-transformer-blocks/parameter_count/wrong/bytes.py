"""The bytes are counted, four for each parameter. Look at what the exercise asks to count."""


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    return sum(parameter.numel() * parameter.element_size() for parameter in model.parameters())
