"""The weights are laid down column by column, so the map is not the one that was attended to. The
first weights fill the first row."""


def weights_to_grid(weights, height, width):
    if weights.shape[-1] != height * width:
        raise ValueError(f"{weights.shape[-1]} weights for a grid of {height} x {width}")
    return weights.reshape(*weights.shape[:-1], width, height).transpose(-1, -2)
