"""The exponents run from 0 to exactly 1, as in tensor2tensor, so all waves but the first are too
slow. Look at what 2i is divided by."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    exponents = torch.linspace(0, 1, (D + 1) // 2, dtype=torch.float64)
    angles = positions / 10000**exponents
    P = torch.empty(N, D)
    P[:, 0::2] = torch.sin(angles)
    P[:, 1::2] = torch.cos(angles[:, : D // 2])
    return P
