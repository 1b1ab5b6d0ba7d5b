"""The angles are treated as degrees. Look at the unit that sin expects."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    exponents = torch.arange(0, D, 2, dtype=torch.float64) / D
    angles = positions / 10000**exponents
    P = torch.empty(N, D)
    P[:, 0::2] = torch.sin(torch.deg2rad(angles))
    P[:, 1::2] = torch.cos(torch.deg2rad(angles[:, : D // 2]))
    return P
