"""All leading axes are run together to one, so a batch of steps loses its shape. Look at what -1
stands for."""


def weights_to_grid(weights, height, width):
    if weights.shape[-1] != height * width:
        raise ValueError(f"{weights.shape[-1]} weights for a grid of {height} x {width}")
    return weights.reshape(-1, height, width)
