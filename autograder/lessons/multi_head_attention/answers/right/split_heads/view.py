"""view, which can cut the last axis of any tensor, and swapaxes."""
def split_heads(X: torch.Tensor, num_heads: int) -> torch.Tensor:
    D_H, rest = divmod(X.shape[-1], num_heads)
    if rest:
        raise ValueError(f"D = {X.shape[-1]} is not a multiple of {num_heads}")
    heads = X.view(X.shape[:-1] + (num_heads, D_H))
    return heads.swapaxes(-3, -2).contiguous()
