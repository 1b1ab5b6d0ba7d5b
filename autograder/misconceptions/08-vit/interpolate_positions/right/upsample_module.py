"""nn.Upsample does the same as F.interpolate."""


def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    if n * n != len(positions) - 1:
        raise ValueError("no square grid")
    stretch = nn.Upsample(size=(new_grid[0], new_grid[1]), mode="bicubic")
    new = stretch(positions[1:].unflatten(0, (n, n)).movedim(2, 0)[None])
    return torch.cat((positions[:1], new[0].movedim(0, 2).flatten(0, 1)))
