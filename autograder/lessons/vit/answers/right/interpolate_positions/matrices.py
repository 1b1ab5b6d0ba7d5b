"""Odd: rows and columns are stretched one after the other, by the matrices that F.interpolate makes
of the identity."""
def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    if n * n != len(positions) - 1:
        raise ValueError("no square grid")

    def matrix(m):
        one = torch.eye(n, dtype=positions.dtype)[None, :, :, None]
        return F.interpolate(one.expand(1, n, n, 1), size=(m, 1), mode="bicubic", align_corners=False)[0, :, :, 0]

    grid = positions[1:].reshape(n, n, -1)
    new = torch.einsum("ia,jb,ijd->abd", matrix(new_grid[0]), matrix(new_grid[1]), grid)
    return torch.cat((positions[:1], new.flatten(0, 1)))
