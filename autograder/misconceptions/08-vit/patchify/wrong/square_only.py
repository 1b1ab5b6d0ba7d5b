"""The number of patches is computed from the height alone, as if pictures were square."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    n = H // P
    X = images.reshape(B, C, n, P, n, P)
    return X.permute(0, 2, 4, 1, 3, 5).reshape(B, n * n, C * P * P)
