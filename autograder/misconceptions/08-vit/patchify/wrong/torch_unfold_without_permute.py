"""After unfold, the channels still stand before the patches' places, so channels of different
patches are mixed. Move the places to the front."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    return images.unfold(2, P, P).unfold(3, P, P).reshape(B, -1, C * P * P)
