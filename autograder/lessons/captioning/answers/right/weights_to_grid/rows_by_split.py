"""Every row is one piece of a split; an error stops a wrong size."""
def weights_to_grid(weights, height, width):
    if weights.size(-1) != height * width:
        raise ValueError("wrong grid")
    return torch.stack(weights.split(width, dim=-1), dim=-2)
