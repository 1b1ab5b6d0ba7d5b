"""Weights that do not fit are cut off, and too few are refused. A wrong height or width then passes
unnoticed, and the map shows something else. Compare for equality."""


def weights_to_grid(weights, height, width):
    if weights.shape[-1] < height * width:
        raise ValueError("too few weights")
    return weights[..., : height * width].reshape(*weights.shape[:-1], height, width)
