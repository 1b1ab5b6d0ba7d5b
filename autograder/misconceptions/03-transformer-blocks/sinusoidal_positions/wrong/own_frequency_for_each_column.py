"""Every column has a frequency of its own, so a sine and the cosine beside it do not belong
together. Look at which columns share an angle."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    angles = positions / 10000 ** (torch.arange(D, dtype=torch.float64) / D)
    P = torch.empty(N, D)
    P[:, 0::2] = torch.sin(angles[:, 0::2])
    P[:, 1::2] = torch.cos(angles[:, 1::2])
    return P
