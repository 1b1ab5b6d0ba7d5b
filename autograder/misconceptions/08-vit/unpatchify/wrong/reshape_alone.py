"""The numbers are only given another shape. Rows of one patch lie in different rows of the picture,
so axes have to move."""


def unpatchify(patches, patch_size, height, width):
    B, N, wide = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    if height % P or width % P or N != rows * columns or wide % P**2:
        raise ValueError(f"{tuple(patches.shape)} does not fill {height} x {width}")
    return patches.reshape(B, -1, height, width)
