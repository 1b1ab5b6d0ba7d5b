"""Buffers are counted as well, such as a table of fixed positions. Look at what is learnt."""


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    tensors = [*model.parameters(), *model.buffers()]
    return sum(tensor.numel() for tensor in tensors)
