"""Three channels are taken for granted. Their number follows from the width of a patch."""


def unpatchify(patches, patch_size, height, width):
    B, N, wide = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    if height % P or width % P or N != rows * columns or wide % P**2:
        raise ValueError(f"{tuple(patches.shape)} does not fill {height} x {width}")
    X = patches.reshape(B, rows, columns, 3, P, P).permute(0, 3, 1, 4, 2, 5)
    return X.reshape(B, 3, height, width)
