"""F.pixel_shuffle puts the picture together in the same order."""


def unpatchify(patches, patch_size, height, width):
    B, N, wide = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    if height % P or width % P or N != rows * columns or wide % P**2:
        raise ValueError(f"{tuple(patches.shape)} does not fill {height} x {width}")
    return F.pixel_shuffle(patches.mT.reshape(B, wide, rows, columns), P)
