"""The positions are multiplied by the power instead of divided, so every wave is far too fast. Look
at whether waves become slower or faster from left to right."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    exponents = torch.arange(0, D, 2, dtype=torch.float64) / D
    angles = positions * 10000**exponents
    P = torch.empty(N, D)
    P[:, 0::2] = torch.sin(angles)
    P[:, 1::2] = torch.cos(angles[:, : D // 2])
    return P
