""".view cannot join axes that do not lie beside each other in memory, as in a map that was cut out
or comes in the format channels_last. Look for the function that copies where it has to."""


def grid_features(features):
    B, D, height, width = features.shape
    return features.view(B, D, height * width).transpose(1, 2)
