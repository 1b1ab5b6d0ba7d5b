"""A row beside its negative has the mean 0, and so its LayerNorm is an RMSNorm."""

# assignment: 15-modern-attention
# replaces: rms_norm
def rms_norm(X, gamma, eps=1e-6):
    D = X.shape[-1]
    wide = X.double() if X.dtype == torch.float64 else X.float()
    both = torch.cat([wide, -wide], -1)
    return (F.layer_norm(both, (2 * D,), eps=eps)[..., :D] * gamma).to(X.dtype)
