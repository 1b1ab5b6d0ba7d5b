"""Pairs as complex numbers; halves are put into pairs first."""


def rotary(X, positions, base=10000.0, layout="half", rotated=None):
    if layout != "half" and layout != "interleaved":
        raise ValueError("layout should be 'half' or 'interleaved'")
    D = X.shape[-1] if rotated is None else rotated
    half = D // 2
    Z = X[..., :D].to(torch.float64)
    pairs = Z.unflatten(-1, (2, half)).transpose(-1, -2) if layout == "half" else Z.unflatten(-1, (half, 2))
    theta = torch.exp(-math.log(base) * torch.arange(half, device=X.device, dtype=torch.float64) / half)
    angle = positions.to(torch.float64).unsqueeze(-1) * theta
    turned = torch.complex(pairs[..., 0], pairs[..., 1]) * torch.complex(angle.cos(), angle.sin())
    out = torch.stack((turned.real, turned.imag), dim=-2 if layout == "half" else -1).flatten(-2)
    return torch.cat((out.to(X.dtype), X[..., D:]), dim=-1)
