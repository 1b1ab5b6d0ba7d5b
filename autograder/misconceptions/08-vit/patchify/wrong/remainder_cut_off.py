"""What is left over at the edge is cut off without a word. Raise a ValueError when the patch size
does not divide height and width."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    images = images[:, :, :H // P * P, :W // P * P]
    X = images.reshape(B, C, H // P, P, W // P, P)
    return X.permute(0, 2, 4, 1, 3, 5).reshape(B, -1, C * P * P)
