"""The cosine belongs to the angle of the next pair. Look at which columns share an angle."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float64)
    P = torch.empty(N, D)
    for column in range(D):
        if column % 2 == 0:
            P[:, column] = torch.sin(positions / 10000 ** (column / D))
        else:
            P[:, column] = torch.cos(positions / 10000 ** ((column + 1) / D))
    return P
