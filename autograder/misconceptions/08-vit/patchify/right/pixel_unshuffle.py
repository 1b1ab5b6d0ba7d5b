"""F.pixel_unshuffle takes the picture apart in the same order."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    return F.pixel_unshuffle(images, P).flatten(2).mT
