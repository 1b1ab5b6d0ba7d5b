"""Exactly one axis is expected before the cells. Weights of one word, or of all words of a batch,
have another number; keep weights.shape[:-1], whatever it is."""


def weights_to_grid(weights, height, width):
    if weights.shape[-1] != height * width:
        raise ValueError(f"{weights.shape[-1]} weights for a grid of {height} x {width}")
    B, N = weights.shape
    return weights.reshape(B, height, width)
