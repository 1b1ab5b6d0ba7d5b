"""The model is really built, which takes gigabytes and seconds for a large one. Look at the device
on which a tensor has a shape but no numbers."""


def parameter_count(config):
    model = layers.make_model(config)
    return sum(parameter.numel() for parameter in model.parameters())
