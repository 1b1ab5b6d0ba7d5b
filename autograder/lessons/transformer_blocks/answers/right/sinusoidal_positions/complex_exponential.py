"""Odd: the real and the imaginary part of exp(i · angle)."""
def sinusoidal_positions(N, D):
    position = torch.arange(N, dtype=torch.float64)
    exponents = torch.arange(0, D, 2, dtype=torch.float64).div(D)
    angles = position[:, None].div(torch.full_like(exponents, 10000).pow(exponents))
    turned = torch.polar(torch.ones_like(angles), angles)
    P = torch.stack([turned.imag, turned.real], dim=2)
    return P.reshape(N, 2 * len(exponents))[:, :D].float().contiguous()
