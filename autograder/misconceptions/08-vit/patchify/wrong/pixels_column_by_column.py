"""In each patch the pixels come column by column. Row and column in the patch are swapped."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    X = images.reshape(B, C, H // P, P, W // P, P)
    return X.permute(0, 2, 4, 1, 5, 3).reshape(B, -1, C * P * P)
