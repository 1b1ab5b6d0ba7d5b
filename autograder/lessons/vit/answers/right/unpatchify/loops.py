"""Odd: each patch is written into an empty picture."""
def unpatchify(patches, patch_size, height, width):
    B, N, wide = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    if height % P or width % P or N != rows * columns or wide % P**2:
        raise ValueError(f"{tuple(patches.shape)} does not fill {height} x {width}")
    pictures = patches.new_zeros(B, wide // P**2, height, width)
    for n in range(N):
        i, j = divmod(n, columns)
        pictures[:, :, i * P : (i + 1) * P, j * P : (j + 1) * P] = patches[:, n].reshape(B, -1, P, P)
    return pictures
