"""Under no_grad nothing flows back. The stretched positions are trained on."""


def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    if n * n != len(positions) - 1:
        raise ValueError("no square grid")
    with torch.no_grad():
        new = F.interpolate(positions[1:].T.reshape(1, -1, n, n), size=new_grid, mode="bicubic", align_corners=False)
        return torch.cat((positions[:1], new[0].flatten(1).T))
