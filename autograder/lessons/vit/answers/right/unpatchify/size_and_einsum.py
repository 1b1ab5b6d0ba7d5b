"""One condition for every size; einsum moves the axes."""
def unpatchify(patches, patch_size, height, width):
    B, N, wide = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    if not (rows * P == height and columns * P == width and N == rows * columns and wide % (P * P) == 0):
        raise ValueError("the patches do not fill the picture")
    X = patches.reshape(B, rows, columns, -1, P, P)
    return torch.einsum("bijcpq->bcipjq", X).reshape(B, -1, height, width)
