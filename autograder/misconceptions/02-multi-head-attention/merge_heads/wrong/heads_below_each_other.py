"""The heads are put below each other instead of side by side: (..., H · N, D_H). Look at which axis
grows when heads are joined."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    return torch.cat(Y.unbind(dim=-3), dim=-2)
