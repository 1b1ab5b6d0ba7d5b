"""The number of the column is doubled once more, so the exponents run up to 2. Look at which number
stands for 2i: the column or its half."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    exponents = 2 * torch.arange(0, D, 2, dtype=torch.float64) / D
    angles = positions / 10000**exponents
    P = torch.empty(N, D)
    P[:, 0::2] = torch.sin(angles)
    P[:, 1::2] = torch.cos(angles[:, : D // 2])
    return P
