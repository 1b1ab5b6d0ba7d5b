"""The channels are last, but height and width are still two axes. Attention knows of no grid: to it
the cells are a list."""


def grid_features(features):
    return features.permute(0, 2, 3, 1)
