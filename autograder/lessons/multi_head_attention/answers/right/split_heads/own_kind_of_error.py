"""A subclass of ValueError, and a helper for one head."""
class WidthError(ValueError):
    pass


def one_head(X, h, D_H):
    return X.narrow(-1, h * D_H, D_H)


def split_heads(X, num_heads):
    D_H, rest = X.shape[-1] // num_heads, X.shape[-1] % num_heads
    if rest != 0:
        raise WidthError(f"{rest} columns are left over")
    return torch.stack([one_head(X, h, D_H) for h in range(num_heads)], -3)
