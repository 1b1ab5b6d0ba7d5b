"""Biases are left out. Look at what else is learnt besides matrices."""


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    return sum(
        parameter.numel() for name, parameter in model.named_parameters() if "bias" not in name
    )
