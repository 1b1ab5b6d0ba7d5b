"""The numbers are dealt out anew to the shape (B, N, D): a row then holds one channel of many
cells, not all channels of one cell. A reshape never moves a number; look at which axes have to
change places first."""


def grid_features(features):
    B, D, height, width = features.shape
    return features.reshape(B, height * width, D)
