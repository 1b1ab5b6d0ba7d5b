"""A strided view of a contiguous copy."""
def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("does not divide")
    x = images.contiguous()
    b, c, h, w = x.stride()
    return x.as_strided((B, H // P, W // P, C, P, P), (b, P * h, P * w, c, h, w)).flatten(3).flatten(1, 2)
