"""patchify of the pixel numbers says where each number comes from; argsort is the inverse."""


def unpatchify(patches, patch_size, height, width):
    B, N, K = patches.shape
    P = patch_size
    if height % P or width % P or N != (height // P) * (width // P) or K % (P * P):
        raise ValueError("do not fill it")
    C, h, w = K // (P * P), height // P, width // P
    numbers = torch.arange(C * height * width, device=patches.device, dtype=torch.float64).view(1, C, height, width)
    back = patchify(numbers, P).flatten().argsort()
    return patches.reshape(B, -1)[:, back].view(B, C, height, width)
