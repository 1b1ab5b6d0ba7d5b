"""The sum of the squares as a product of the row with itself."""


def rms_norm(X, gamma, eps=1e-6):
    dtype = torch.promote_types(X.dtype, torch.float32)
    Z = X.to(dtype)
    squares = torch.einsum("...d,...d->...", Z, Z)[..., None]
    scale = 1 / torch.sqrt(squares / Z.shape[-1] + eps)
    return torch.einsum("...d,d->...d", Z * scale, gamma.to(dtype)).to(X.dtype)
