"""A parameter counts only once for each shape, so all blocks but the first are left out. Look at
what makes two parameters the same one."""


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    shapes = {tuple(parameter.shape) for parameter in model.parameters()}
    return sum(math.prod(shape) for shape in shapes)
