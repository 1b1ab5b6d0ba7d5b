"""chunk and stack."""


def split_heads(X, num_heads):
    D = X.shape[-1]
    if D // num_heads * num_heads != D:
        raise ValueError(f"width {D}, {num_heads} heads")
    return torch.stack(X.chunk(num_heads, dim=-1), dim=-3)
