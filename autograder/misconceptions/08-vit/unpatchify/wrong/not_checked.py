"""Patches that do not fit are accepted wherever their numbers can be dealt out somehow. Compare
sizes first, and raise a ValueError."""


def unpatchify(patches, patch_size, height, width):
    B, N, wide = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    X = patches.reshape(B, rows, columns, -1, P, P).permute(0, 3, 1, 4, 2, 5)
    return X.reshape(B, -1, rows * P, columns * P)
