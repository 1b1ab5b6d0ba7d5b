"""flatten and transpose."""


def grid_features(features):
    return features.flatten(start_dim=2).transpose(1, 2)
