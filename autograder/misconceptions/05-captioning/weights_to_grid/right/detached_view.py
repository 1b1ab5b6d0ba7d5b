"""detach and view."""


def weights_to_grid(weights, height, width):
    if weights.shape[-1] / width != height:
        raise ValueError("these weights belong to another grid")
    return weights.detach().view(weights.shape[:-1] + (height, width))
