"""unflatten, whose own error stops a wrong size."""
def weights_to_grid(weights, height, width):
    return weights.unflatten(-1, (height, width))
