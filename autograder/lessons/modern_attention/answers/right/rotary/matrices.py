"""One rotation matrix for every position, multiplied with the rows."""


def rotary(X, positions, base=10000.0, layout="half", rotated=None):
    pairing = {"half": lambda i, D: (i, i + D // 2), "interleaved": lambda i, D: (2 * i, 2 * i + 1)}
    if layout not in pairing:
        raise ValueError(f"expected one of {list(pairing)}, got {layout!r}")
    D = X.shape[-1] if rotated is None else rotated
    i = torch.arange(D // 2, device=X.device)
    a, b = pairing[layout](i, D)
    angles = positions.double()[:, None] / base ** (2 * i.double() / D)
    R = torch.eye(X.shape[-1], dtype=torch.float64, device=X.device).repeat(len(positions), 1, 1)
    R[:, a, a], R[:, b, b] = angles.cos(), angles.cos()
    R[:, a, b], R[:, b, a] = -angles.sin(), angles.sin()
    return torch.einsum("nij,...nj->...ni", R, X.double()).to(X.dtype)
