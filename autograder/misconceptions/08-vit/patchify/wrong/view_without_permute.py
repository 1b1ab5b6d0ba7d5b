"""The numbers are dealt out to patches as they lie in memory, without moving any axis. Each "patch"
is then a stretch of pixel rows. Split height and width, and permute before you join."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    return images.reshape(B, (H // P) * (W // P), C * P * P)
