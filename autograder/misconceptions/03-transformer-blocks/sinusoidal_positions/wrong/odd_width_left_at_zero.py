"""The last column of an odd width stays 0. Look at which function the last column holds then."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float64)
    P = torch.zeros(N, D)
    for i in range(D // 2):
        angles = positions / 10000 ** (2 * i / D)
        P[:, 2 * i] = torch.sin(angles)
        P[:, 2 * i + 1] = torch.cos(angles)
    return P
