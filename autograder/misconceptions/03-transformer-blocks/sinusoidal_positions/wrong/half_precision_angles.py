"""The positions are bfloat16, which cannot tell 257 from 256. Look at the dtype of the
positions."""


def sinusoidal_positions(N, D):
    positions = torch.arange(N).bfloat16().double().unsqueeze(1)
    exponents = torch.arange(0, D, 2, dtype=torch.float64) / D
    angles = positions / 10000**exponents
    P = torch.empty(N, D)
    P[:, 0::2] = torch.sin(angles)
    P[:, 1::2] = torch.cos(angles[:, : D // 2])
    return P
