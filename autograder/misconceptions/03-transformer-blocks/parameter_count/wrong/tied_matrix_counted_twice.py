"""A tied output matrix is counted once more beside the embedding. Look at how many parameters hold
it."""


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    count = sum(parameter.numel() for parameter in model.parameters())
    if config.tied:
        count += config.vocab_size * config.model_width
    return count
