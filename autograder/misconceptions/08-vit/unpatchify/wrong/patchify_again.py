"""patchify is called once more. It is not its own inverse: the axes move back in another order."""


def unpatchify(patches, patch_size, height, width):
    B, N, K = patches.shape
    P = patch_size
    if height % P or width % P or N != (height // P) * (width // P) or K % (P * P):
        raise ValueError("do not fill it")
    C, h, w = K // (P * P), height // P, width // P
    return patchify(patches.reshape(B, C, height, width), P).reshape(B, C, height, width)
