"""tensor_split into strips, then into squares, and cat."""
def patchify(images, patch_size):
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError("does not divide")
    strips = images.tensor_split(H // P, dim=2)
    squares = [square.reshape(B, 1, -1) for strip in strips for square in strip.tensor_split(W // P, dim=3)]
    return torch.cat(squares, dim=1)
