"""The table itself is taken for a picture, with D as its width. Its rows are places of a grid, and
its columns are channels."""


def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    if n * n != len(positions) - 1:
        raise ValueError("no square")
    D = positions.shape[1]
    x = F.interpolate(positions[None, None, 1:], size=(new_grid[0] * new_grid[1], D), mode="bicubic", align_corners=False)
    return torch.cat((positions[:1], x[0, 0]))
