"""The grid is made without the dtype of the weights. Take it from them."""


def weights_to_grid(weights, height, width):
    if weights.shape[-1] != height * width:
        raise ValueError(f"{weights.shape[-1]} weights for a grid of {height} x {width}")
    return torch.tensor(weights.tolist(), dtype=torch.float64).reshape(*weights.shape[:-1], height, width)
