"""Patches are taken at every half patch, so they overlap. The stride is the patch size."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    return F.unfold(images, P, stride=max(1, P // 2)).mT
