"""An empty tensor of the features' own kind is filled row by row."""
def grid_features(features):
    B, D, height, width = features.shape
    cells = features.new_empty(B, height * width, D)
    for i in range(height):
        cells[:, i * width : (i + 1) * width] = features[:, :, i].mT
    return cells
