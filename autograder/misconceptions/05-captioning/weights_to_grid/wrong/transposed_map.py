"""The map is transposed: what was looked at on the left shows above. Row i of the map is row i of
the picture."""


def weights_to_grid(weights, height, width):
    if weights.shape[-1] != height * width:
        raise ValueError(f"{weights.shape[-1]} weights for a grid of {height} x {width}")
    return weights.reshape(*weights.shape[:-1], height, width).transpose(-1, -2)
