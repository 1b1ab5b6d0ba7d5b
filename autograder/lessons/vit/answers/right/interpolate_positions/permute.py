"""The grid first, then permute."""
def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    if n * n != len(positions) - 1:
        raise ValueError("no square grid")
    grid = positions[1:].reshape(1, n, n, -1).permute(0, 3, 1, 2)
    new = F.interpolate(grid, size=tuple(new_grid), mode="bicubic", align_corners=False)
    return torch.vstack((positions[0:1], new.permute(0, 2, 3, 1).reshape(-1, positions.shape[1])))
