"""Values are cut off at 0 and 1. unpatchify only moves numbers; pictures may hold any."""


def unpatchify(patches, patch_size, height, width):
    B, N, K = patches.shape
    P = patch_size
    if height % P or width % P or N != (height // P) * (width // P) or K % (P * P):
        raise ValueError("do not fill it")
    C, h, w = K // (P * P), height // P, width // P
    return patches.reshape(B, h, w, C, P, P).permute(0, 3, 1, 4, 2, 5).reshape(B, C, height, width).clamp(0, 1)
