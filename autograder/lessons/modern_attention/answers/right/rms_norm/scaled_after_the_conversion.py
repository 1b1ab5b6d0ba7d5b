"""As in Llama: back to the dtype of X first, then times gamma."""


def rms_norm(X, gamma, eps=1e-6):
    exact = X.to(torch.promote_types(X.dtype, torch.float32))
    normalised = exact * torch.rsqrt(exact.pow(2).mean(-1, keepdim=True) + eps)
    return gamma * normalised.to(X.dtype)
