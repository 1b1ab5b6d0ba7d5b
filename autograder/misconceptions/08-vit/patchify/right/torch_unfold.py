"""Tensor.unfold twice makes a view of all patches."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    X = images.unfold(2, P, P).unfold(3, P, P)
    return X.permute(0, 2, 3, 1, 4, 5).reshape(B, (H // P) * (W // P), C * P * P)
