"""Patches are joined to bands, and bands to pictures."""


def unpatchify(patches, patch_size, height, width):
    B, N, wide = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    if height % P or width % P or N != rows * columns or wide % P**2:
        raise ValueError(f"{tuple(patches.shape)} does not fill {height} x {width}")
    cut = patches.unflatten(2, (-1, P, P)).unbind(1)
    bands = [torch.cat(cut[i * columns:(i + 1) * columns], dim=-1) for i in range(rows)]
    return torch.cat(bands, dim=-2)
