"""A convolution whose kernels each pick one pixel."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("does not divide")
    pick = torch.eye(C * P * P, dtype=images.dtype, device=images.device).view(C * P * P, C, P, P)
    return F.conv2d(images, pick, stride=P).flatten(start_dim=2).permute(0, 2, 1)
