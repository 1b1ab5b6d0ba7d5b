"""A row beside its negative, as one group."""

# assignment: 15-modern-attention
# replaces: rms_norm
def rms_norm(X, gamma, eps=1e-6):
    D = X.shape[-1]
    wide = X.double() if X.dtype == torch.float64 else X.float()
    both = torch.cat([wide, -wide], -1)
    return (F.group_norm(both.reshape(-1, 2 * D), 1, eps=eps).view(both.shape)[..., :D] * gamma).to(X.dtype)
