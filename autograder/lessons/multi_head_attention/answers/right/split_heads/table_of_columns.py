"""A table of column numbers for each head, used as an index."""
def split_heads(X, num_heads):
    D = X.shape[-1]
    if D % num_heads:
        raise ValueError(f"cannot share {D} columns between {num_heads} heads")
    columns = torch.arange(D, device=X.device).view(num_heads, -1)
    return X[..., columns].transpose(-2, -3)
