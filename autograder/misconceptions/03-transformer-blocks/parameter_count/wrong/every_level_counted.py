"""The parameters of a part are counted again for every module that holds the part. Look at what
parameters() of a module already includes."""


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    count = 0
    for module in model.modules():
        count += sum(parameter.numel() for parameter in module.parameters())
    return count
