"""A transposed convolution with one kernel for each pixel."""


def unpatchify(patches, patch_size, height, width):
    B, N, K = patches.shape
    P = patch_size
    if height % P or width % P or N != (height // P) * (width // P) or K % (P * P):
        raise ValueError("do not fill it")
    C, h, w = K // (P * P), height // P, width // P
    kernel = torch.eye(K, dtype=patches.dtype, device=patches.device).view(K, C, P, P)
    return F.conv_transpose2d(patches.mT.reshape(B, K, h, w), kernel, stride=P)
