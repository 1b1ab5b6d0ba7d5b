"""Each channel of a patch has become a row of its own. A patch is one row, with all its
channels."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    X = images.reshape(B, C, H // P, P, W // P, P)
    return X.permute(0, 1, 2, 4, 3, 5).reshape(B, -1, P * P)
