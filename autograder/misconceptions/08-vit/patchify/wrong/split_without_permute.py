"""Height and width are split, but the axes are joined again in the same order, so nothing has
moved. Place to the front, content to the back."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    return images.reshape(B, C, H // P, P, W // P, P).reshape(B, -1, C * P * P)
