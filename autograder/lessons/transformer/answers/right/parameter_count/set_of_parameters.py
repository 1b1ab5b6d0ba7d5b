"""A set of all parameters, duplicates asked for on purpose."""
from torch import device


def parameter_count(config):
    with device("meta"):
        model = layers.make_model(config)
    parameters = {p for _, p in model.named_parameters(remove_duplicate=False)}
    return sum(map(torch.numel, parameters))
