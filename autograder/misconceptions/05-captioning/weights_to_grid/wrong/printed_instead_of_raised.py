"""A wrong size is printed and nothing is returned; the error then appears somewhere else. Raise a
ValueError."""


def weights_to_grid(weights, height, width):
    if weights.shape[-1] != height * width:
        print("the weights do not fill the grid")
        return None
    return weights.reshape(*weights.shape[:-1], height, width)
