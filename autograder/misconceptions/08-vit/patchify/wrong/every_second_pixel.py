"""A patch takes every so many-th pixel from all over the picture. Its pixels are neighbours."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("no")
    h, w = H // P, W // P
    return torch.stack([images[:, :, i::h, j::w].reshape(B, -1) for i in range(h) for j in range(w)], 1)
