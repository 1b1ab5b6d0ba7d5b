"""unflatten, swapaxes twice, flatten."""
def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("does not divide")
    x = images.unflatten(3, (W // P, P)).unflatten(2, (H // P, P))
    x = x.swapaxes(3, 4)
    x = x.movedim(1, 3)
    return x.flatten(3).flatten(1, 2)
