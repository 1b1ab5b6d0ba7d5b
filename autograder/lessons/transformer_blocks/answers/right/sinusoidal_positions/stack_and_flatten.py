"""Sines and cosines are stacked in pairs, flattened, and cut for an odd width."""
def sinusoidal_positions(N: int, D: int) -> torch.Tensor:
    i = torch.arange((D + 1) // 2, dtype=torch.float64)
    angles = torch.outer(torch.arange(N, dtype=torch.float64), 10000 ** (-2 * i / D))
    pairs = torch.stack((angles.sin(), angles.cos()), dim=-1)
    return pairs.flatten(1)[:, :D].to(torch.float32)
