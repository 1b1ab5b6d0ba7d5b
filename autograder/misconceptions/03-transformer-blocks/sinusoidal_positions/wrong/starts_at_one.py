"""The first row is position 1 instead of 0. Look at the first number of the positions."""


def sinusoidal_positions(N, D):
    positions = torch.arange(1, N + 1, dtype=torch.float64).unsqueeze(1)
    exponents = torch.arange(0, D, 2, dtype=torch.float64) / D
    angles = positions / 10000**exponents
    P = torch.empty(N, D)
    P[:, 0::2] = torch.sin(angles)
    P[:, 1::2] = torch.cos(angles[:, : D // 2])
    return P
