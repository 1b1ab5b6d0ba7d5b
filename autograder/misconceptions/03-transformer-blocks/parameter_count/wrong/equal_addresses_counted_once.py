"""Parameters are told apart by the address of their numbers, which is 0 for all of them on the meta
device. Look at what makes two parameters the same one."""


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    sizes = {parameter.data_ptr(): parameter.numel() for parameter in model.parameters()}
    return sum(sizes.values())
