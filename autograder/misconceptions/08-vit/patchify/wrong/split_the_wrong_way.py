"""Height is split into (row in the patch, which patch), so a patch takes every so many-th row of
the picture. The outer axis counts patches."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    X = images.reshape(B, C, P, H // P, P, W // P)
    return X.permute(0, 3, 5, 1, 2, 4).reshape(B, -1, C * P * P)
