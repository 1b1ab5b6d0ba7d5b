"""In each patch the channels stand between rows and columns: a row of red, of green, of blue, then
the next row. All of red comes first."""


def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("does not divide")
    x = images.reshape(B, C, H // P, P, W // P, P)
    return x.permute(0, 2, 4, 3, 1, 5).reshape(B, -1, C * P * P)
