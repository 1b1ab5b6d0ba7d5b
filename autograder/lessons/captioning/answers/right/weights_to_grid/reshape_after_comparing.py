"""reshape with the leading axes kept."""
def weights_to_grid(weights, height, width):
    N = weights.shape[-1]
    if N != height * width:
        raise ValueError(f"Expected {height * width} weights, got {N}.")
    return weights.reshape(*weights.shape[:-1], height, width)
