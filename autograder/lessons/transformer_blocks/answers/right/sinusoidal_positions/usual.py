"""Two strided assignments, with the power written as exp of a logarithm."""
def sinusoidal_positions(N, D):
    P = torch.zeros(N, D, dtype=torch.float64)
    position = torch.arange(0, N, dtype=torch.float64)[:, None]
    frequency = torch.exp(torch.arange(0, D, 2, dtype=torch.float64) * (-math.log(10000.0) / D))
    P[:, 0::2] = torch.sin(position * frequency)
    P[:, 1::2] = torch.cos(position * frequency[: D // 2])
    return P.float()
