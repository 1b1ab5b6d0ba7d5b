"""The exponent is i / D instead of 2i / D, so the slowest wave is a hundred times too fast. Look at
how far i runs when there are two columns for each."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    exponents = torch.arange((D + 1) // 2, dtype=torch.float64) / D
    angles = positions / 10000**exponents
    P = torch.empty(N, D)
    P[:, 0::2] = torch.sin(angles)
    P[:, 1::2] = torch.cos(angles[:, : D // 2])
    return P
