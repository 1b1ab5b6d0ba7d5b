"""F.unfold gives (B, C·P·P, N). Its last two axes have to be swapped."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    return F.unfold(images, P, stride=P)
