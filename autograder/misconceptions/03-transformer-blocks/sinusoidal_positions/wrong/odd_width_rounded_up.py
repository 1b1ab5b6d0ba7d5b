"""An odd width is rounded up, which changes the frequencies of all columns. Look at what 2i is
divided by."""


def sinusoidal_positions(N, D):
    even = D + D % 2
    positions = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    angles = positions / 10000 ** (torch.arange(0, even, 2, dtype=torch.float64) / even)
    P = torch.stack([torch.sin(angles), torch.cos(angles)], dim=2).reshape(N, even)
    return P[:, :D].float()
