"""A loop over named_parameters and the product of each shape."""
def parameter_count(config: TransformerConfig) -> int:
    device = torch.device("meta")
    with device:
        model = layers.make_model(config)
    total = 0
    for _name, parameter in model.named_parameters():
        total += math.prod(parameter.shape)
    return total
