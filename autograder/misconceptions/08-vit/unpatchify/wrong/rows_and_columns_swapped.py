"""Rows and columns of patches are swapped: the patches are laid out column by column."""


def unpatchify(patches, patch_size, height, width):
    B, N, wide = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    if height % P or width % P or N != rows * columns or wide % P**2:
        raise ValueError(f"{tuple(patches.shape)} does not fill {height} x {width}")
    X = patches.reshape(B, columns, rows, -1, P, P).permute(0, 3, 2, 4, 1, 5)
    return X.reshape(B, -1, height, width)
