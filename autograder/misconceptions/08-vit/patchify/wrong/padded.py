"""Pictures that do not fit are filled up with zeros. Raise a ValueError instead."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    images = F.pad(images, (0, -W % P, 0, -H % P))
    H, W = images.shape[2:]
    X = images.reshape(B, C, H // P, P, W // P, P)
    return X.permute(0, 2, 4, 1, 3, 5).reshape(B, -1, C * P * P)
