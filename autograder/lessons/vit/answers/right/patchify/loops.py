"""Odd: two loops and a stack."""
def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    rows = []
    for top in range(0, H, P):
        for left in range(0, W, P):
            rows.append(images[:, :, top : top + P, left : left + P].reshape(B, -1))
    return torch.stack(rows, dim=1)
