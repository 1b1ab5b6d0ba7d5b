"""The heads are written into a tensor of zeros that is float32 whatever Y is. Look at the dtype of
the tensor that you fill."""


def merge_heads(Y):
    *lead, H, N, D_H = Y.shape
    X = torch.zeros(*lead, N, H * D_H, device=Y.device)
    for h in range(H):
        X[..., h * D_H : (h + 1) * D_H] = Y[..., h, :, :]
    return X
