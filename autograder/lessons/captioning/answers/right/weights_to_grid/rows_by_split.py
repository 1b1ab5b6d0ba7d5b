"""Every row is one piece of a split; an assert stops a wrong size."""
def weights_to_grid(weights, height, width):
    assert weights.size(-1) == height * width, "wrong grid"
    return torch.stack(weights.split(width, dim=-1), dim=-2)
