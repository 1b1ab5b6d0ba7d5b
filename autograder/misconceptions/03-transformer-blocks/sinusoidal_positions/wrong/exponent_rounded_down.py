"""2i / D is rounded down to 0, so all columns have the same frequency. Look at how the two whole
numbers are divided."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    exponents = torch.arange(0, D, 2) // D
    angles = positions / 10000**exponents
    P = torch.empty(N, D)
    P[:, 0::2] = torch.sin(angles)
    P[:, 1::2] = torch.cos(angles[:, : D // 2])
    return P
