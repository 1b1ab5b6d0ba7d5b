"""The axes are split and joined again in the same order. permute has to bring rows and columns to
where they belong."""


def unpatchify(patches, patch_size, height, width):
    B, N, wide = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    if height % P or width % P or N != rows * columns or wide % P**2:
        raise ValueError(f"{tuple(patches.shape)} does not fill {height} x {width}")
    return patches.reshape(B, rows, columns, -1, P, P).reshape(B, -1, height, width)
