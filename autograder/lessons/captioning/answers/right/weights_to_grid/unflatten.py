"""unflatten, after a comparison."""
def weights_to_grid(weights, height, width):
    if height * width != weights.shape[-1]:
        raise ValueError(f"{weights.shape[-1]} weights for {height} x {width} cells")
    return weights.unflatten(-1, (height, width))
