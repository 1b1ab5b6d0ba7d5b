"""A number of patches that is no square is cut down to one without a word. Raise a ValueError."""


def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    grid = positions[1:1 + n * n].T.reshape(1, -1, n, n)
    new = F.interpolate(grid, size=new_grid, mode="bicubic", align_corners=False)
    return torch.cat((positions[:1], new[0].flatten(1).T))
