"""transpose_ changes the tensor of the caller: afterwards its heads and words are exchanged. Look
for names that end in an underscore."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return Y.transpose_(-3, -2).reshape(*lead, N, H * D_H)
