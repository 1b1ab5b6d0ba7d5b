"""Six axes, and back to four."""


def unpatchify(patches, patch_size, height, width):
    B, N, wide = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    if height % P or width % P or N != rows * columns or wide % P**2:
        raise ValueError(f"{tuple(patches.shape)} does not fill {height} x {width}")
    C = wide // P**2
    X = patches.reshape(B, rows, columns, C, P, P).permute(0, 3, 1, 4, 2, 5)
    return X.reshape(B, C, height, width)
