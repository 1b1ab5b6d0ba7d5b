"""Only parameters that lie directly in the model are counted, not those of its parts. Look at what
recurse means."""


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    return sum(parameter.numel() for parameter in model.parameters(recurse=False))
