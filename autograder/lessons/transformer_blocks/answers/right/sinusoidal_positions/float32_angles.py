"""Angles in float32, which is exact enough for sequences of ordinary length."""
def sinusoidal_positions(N, D):
    positions = torch.arange(N, dtype=torch.float32).unsqueeze(1)
    frequencies = torch.exp(torch.arange(0, D, 2).float() * (-math.log(10000.0) / D))
    P = torch.zeros(N, D)
    P[:, 0::2] = torch.sin(positions * frequencies)
    P[:, 1::2] = torch.cos(positions * frequencies)[:, : D // 2]
    return P
