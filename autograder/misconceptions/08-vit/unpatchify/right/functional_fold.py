"""F.fold, after swapping the axes."""


def unpatchify(patches, patch_size, height, width):
    B, N, wide = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    if height % P or width % P or N != rows * columns or wide % P**2:
        raise ValueError(f"{tuple(patches.shape)} does not fill {height} x {width}")
    return F.fold(patches.transpose(1, 2), (height, width), kernel_size=P, stride=P)
