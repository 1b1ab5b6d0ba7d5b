"""Every picture is the first one. The batch is the first axis, and goes through all steps."""


def unpatchify(patches, patch_size, height, width):
    B, N, wide = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    if height % P or width % P or N != rows * columns or wide % P**2:
        raise ValueError(f"{tuple(patches.shape)} does not fill {height} x {width}")
    X = patches[:1].expand(B, -1, -1).reshape(B, rows, columns, -1, P, P).permute(0, 3, 1, 4, 2, 5)
    return X.reshape(B, -1, height, width)
