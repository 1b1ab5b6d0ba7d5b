"""Local response normalisation over a window as wide as twice the row is RMSNorm."""

# assignment: 15-modern-attention
# replaces: rms_norm
def rms_norm(X, gamma, eps=1e-6):
    D = X.shape[-1]; n = 2 * D - 1
    wide = X.double() if X.dtype == torch.float64 else X.float()
    Y = F.local_response_norm(wide.reshape(-1, D)[..., None], n, alpha=n / D, beta=0.5, k=eps)[..., 0]
    return (Y.view(X.shape) * gamma).to(X.dtype)
