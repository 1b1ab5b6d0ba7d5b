"""The even columns hold the cosine and the odd ones the sine. Look at which of the two starts with
0 at position 0."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    exponents = torch.arange(0, D, 2, dtype=torch.float64) / D
    angles = positions / 10000**exponents
    P = torch.empty(N, D)
    P[:, 0::2] = torch.cos(angles)
    P[:, 1::2] = torch.sin(angles[:, : D // 2])
    return P
