"""The model is built in memory and moved to the meta device only then. Look at when the memory is
taken."""


def parameter_count(config):
    model = layers.make_model(config).to("meta")
    return sum(parameter.numel() for parameter in model.parameters())
