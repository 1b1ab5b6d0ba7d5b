"""The axes are moved so that the batch is no longer the first of them when the cells are joined:
rows of different pictures get mixed. Write the shape beside each step."""


def grid_features(features):
    B, D, height, width = features.shape
    return features.permute(2, 3, 0, 1).reshape(B, height * width, D)
