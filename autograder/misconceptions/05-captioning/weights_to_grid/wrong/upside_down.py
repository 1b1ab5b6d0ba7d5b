"""The rows come from below. Where a plot puts row 0 is the plot's affair; here row 0 is the
first."""


def weights_to_grid(weights, height, width):
    if weights.shape[-1] != height * width:
        raise ValueError(f"{weights.shape[-1]} weights for a grid of {height} x {width}")
    return weights.reshape(*weights.shape[:-1], height, width).flip(-2)
