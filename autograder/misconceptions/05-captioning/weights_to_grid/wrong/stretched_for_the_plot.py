"""The weights are divided by the largest of them. Brightness is the plot's affair; here they keep
their values."""


def weights_to_grid(weights, height, width):
    if weights.shape[-1] != height * width:
        raise ValueError(f"{weights.shape[-1]} weights for a grid of {height} x {width}")
    grid = weights.reshape(*weights.shape[:-1], height, width)
    return grid / grid.amax(dim=(-2, -1), keepdim=True)
