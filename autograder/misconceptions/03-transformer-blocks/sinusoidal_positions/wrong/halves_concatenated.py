"""All sines come first and all cosines after them, instead of taking turns. Look at which function
column 1 holds."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    exponents = torch.arange(0, D, 2, dtype=torch.float64) / D
    angles = positions / 10000**exponents
    P = torch.cat([torch.sin(angles), torch.cos(angles[:, : D // 2])], dim=1)
    return P.float()
