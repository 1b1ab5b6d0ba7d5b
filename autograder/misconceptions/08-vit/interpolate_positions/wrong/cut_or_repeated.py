"""The rows are repeated until there are enough. That is no grid: stretch it."""


def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    if n * n != len(positions) - 1:
        raise ValueError("no square grid")
    count = new_grid[0] * new_grid[1]
    rows = torch.arange(count) % (n * n)
    return torch.cat((positions[:1], positions[1:][rows]))
