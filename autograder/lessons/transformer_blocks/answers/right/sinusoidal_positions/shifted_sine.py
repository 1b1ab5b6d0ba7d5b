"""Odd: a cosine is a sine a quarter turn ahead."""
def sinusoidal_positions(N, D):
    column = torch.arange(D)
    odd = column % 2
    angles = torch.arange(N).double()[:, None] / 10000.0 ** ((column - odd).double() / D)
    return torch.sin(angles + odd * math.pi / 2).float()
