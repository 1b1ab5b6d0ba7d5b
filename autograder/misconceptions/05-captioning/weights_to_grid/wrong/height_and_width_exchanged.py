"""The map has width rows and height columns. The number of rows, the height, comes first, as in a
matrix."""


def weights_to_grid(weights, height, width):
    if weights.shape[-1] != height * width:
        raise ValueError(f"{weights.shape[-1]} weights for a grid of {height} x {width}")
    return weights.reshape(*weights.shape[:-1], width, height)
