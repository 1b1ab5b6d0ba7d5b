"""The way leads through NumPy, where no gradient flows. Stay with PyTorch."""


def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    if n * n != len(positions) - 1:
        raise ValueError("no")
    x = positions.detach()[1:].T.reshape(1, -1, n, n)
    x = F.interpolate(x, size=new_grid, mode="bicubic")
    return torch.tensor(torch.cat((positions[:1].detach(), x[0].flatten(1).T)).numpy())
