"""2i is divided by N instead of D in the exponent. Look at which of the two numbers counts
columns."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    exponents = torch.arange(0, D, 2, dtype=torch.float64) / N
    angles = positions / 10000**exponents
    P = torch.empty(N, D)
    P[:, 0::2] = torch.sin(angles)
    P[:, 1::2] = torch.cos(angles[:, : D // 2])
    return P
