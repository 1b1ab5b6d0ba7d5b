"""The grid is flattened, but the channels still stand before the cells: (B, D, N). Attention wants
one row for every cell, as it wants one for every word."""


def grid_features(features):
    return features.flatten(2)
