"""Six axes, and back to three."""
def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"{H} x {W} is no multiple of {P}")
    X = (
        images.view(B, C, H // P, P, W // P, P)
        if images.is_contiguous()
        else images.reshape(B, C, H // P, P, W // P, P)
    )
    return X.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)
