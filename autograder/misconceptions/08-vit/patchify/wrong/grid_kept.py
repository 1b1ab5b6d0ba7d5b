"""Rows and columns of patches are still two axes. The encoder wants one axis of tokens."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    X = images.reshape(B, C, H // P, P, W // P, P)
    return X.permute(0, 2, 4, 1, 3, 5).reshape(B, H // P, W // P, C * P * P)
