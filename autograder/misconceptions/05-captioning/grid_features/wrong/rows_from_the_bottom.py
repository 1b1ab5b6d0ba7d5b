"""The rows come from the bottom to the top, as in a plot whose origin is below. In a picture row 0
is the uppermost."""


def grid_features(features):
    return features.flip(2).flatten(2).transpose(1, 2)
