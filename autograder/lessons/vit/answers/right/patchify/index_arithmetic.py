"""Every number is fetched by its index in the flat picture."""
def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("does not divide")
    n = torch.arange((H // P) * (W // P), device=images.device)
    k = torch.arange(C * P * P, device=images.device)
    c, i, j = k // (P * P), k // P % P, k % P
    r, s = n // (W // P), n % (W // P)
    index = c * H * W + (r[:, None] * P + i) * W + s[:, None] * P + j
    return images.flatten(1)[:, index]
