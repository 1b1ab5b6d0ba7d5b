"""The length of a row by torch.linalg, in float64 throughout."""


def rms_norm(X, gamma, eps=1e-6):
    D = X.shape[-1]
    exact = X.double()
    length = torch.linalg.vector_norm(exact, dim=-1, keepdim=True)
    return (gamma.double() * exact / (length ** 2 / D + eps) ** 0.5).to(X.dtype)
