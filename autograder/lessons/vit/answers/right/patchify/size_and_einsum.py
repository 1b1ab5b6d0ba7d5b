"""One condition for every size; einsum moves the axes."""
def patchify(images, patch_size):
    B, C, H, W = images.size()
    if not (H % patch_size == 0 and W % patch_size == 0):
        raise ValueError("height and width have to be multiples of patch_size")
    cut = images.reshape(B, C, H // patch_size, patch_size, W // patch_size, patch_size)
    return torch.einsum("bcipjq->bijcpq", cut).reshape(B, -1, C * patch_size**2)
