"""Only parameters called weight are counted, so biases, γ and β are missing. Look at what else is
learnt."""


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    count = 0
    for name, parameter in model.named_parameters():
        if name.endswith("weight"):
            count += parameter.numel()
    return count
