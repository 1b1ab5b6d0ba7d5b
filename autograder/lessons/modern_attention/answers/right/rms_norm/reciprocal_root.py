"""torch.rsqrt, and the dtype chosen by an if."""


def rms_norm(X, gamma, eps=1e-6):
    work = X if X.dtype == torch.float64 else X.float()
    work = work * torch.rsqrt(work.pow(2).mean(-1, keepdim=True) + eps)
    return (work * gamma.to(work.dtype)).to(X.dtype)
