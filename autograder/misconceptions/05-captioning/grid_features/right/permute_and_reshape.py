"""The channels are moved last, then the grid is joined."""


def grid_features(features):
    B, D, height, width = features.shape
    return features.permute(0, 2, 3, 1).reshape(B, height * width, D)
