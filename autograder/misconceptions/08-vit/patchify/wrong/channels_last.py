"""In each patch the channels stand last: red, green and blue of one pixel, then of the next. All of
the first channel comes first."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    X = images.reshape(B, C, H // P, P, W // P, P)
    return X.permute(0, 2, 4, 3, 5, 1).reshape(B, -1, C * P * P)
