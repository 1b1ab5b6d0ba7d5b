"""nn.Fold after swapping the last axes."""


def unpatchify(patches, patch_size, height, width):
    B, N, K = patches.shape
    P = patch_size
    if height % P or width % P or N != (height // P) * (width // P) or K % (P * P):
        raise ValueError("do not fill it")
    C, h, w = K // (P * P), height // P, width // P
    return nn.Fold(output_size=(height, width), kernel_size=P, stride=P)(patches.permute(0, 2, 1))
