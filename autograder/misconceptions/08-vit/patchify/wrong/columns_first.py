"""The patches come column by column. Row by row means: first all patches of the upper row, from
left to right."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    X = images.reshape(B, C, H // P, P, W // P, P)
    return X.permute(0, 4, 2, 1, 3, 5).reshape(B, -1, C * P * P)
