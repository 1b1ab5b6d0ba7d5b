"""Rows of patches stand inside rows of pixels. The patch is the outer axis, the row in it the inner
one."""


def unpatchify(patches, patch_size, height, width):
    B, N, K = patches.shape
    P = patch_size
    if height % P or width % P or N != (height // P) * (width // P) or K % (P * P):
        raise ValueError("do not fill it")
    C, h, w = K // (P * P), height // P, width // P
    return patches.reshape(B, h, w, C, P, P).permute(0, 3, 4, 1, 5, 2).reshape(B, C, height, width)
