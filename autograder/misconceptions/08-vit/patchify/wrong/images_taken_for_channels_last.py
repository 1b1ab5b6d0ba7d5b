"""The axes are read as (B, H, W, C). PyTorch's pictures are (B, C, H, W)."""


def patchify(images, patch_size):
    B, H, W, C = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    X = images.reshape(B, H // P, P, W // P, P, C)
    return X.permute(0, 1, 3, 5, 2, 4).reshape(B, -1, C * P * P)
