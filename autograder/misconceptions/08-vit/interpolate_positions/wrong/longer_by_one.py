"""The class token is taken for a patch: the root of all rows is taken."""


def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions))
    if n * n != len(positions):
        raise ValueError("no square grid")
    new = F.interpolate(positions.T.reshape(1, -1, n, n), size=new_grid, mode="bicubic", align_corners=False)
    return torch.cat((positions[:1], new[0].flatten(1).T))
