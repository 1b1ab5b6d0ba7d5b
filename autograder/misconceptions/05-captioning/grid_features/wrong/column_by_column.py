"""The cells come column by column: cell 1 is the one below cell 0, not the one beside it. Read the
grid as you read a page, and look at which of the two last axes changes fastest."""


def grid_features(features):
    return features.permute(0, 3, 2, 1).flatten(1, 2)
