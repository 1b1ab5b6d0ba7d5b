"""F.unfold, and its axes swapped."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    return F.unfold(images, kernel_size=P, stride=P).transpose(1, 2)
