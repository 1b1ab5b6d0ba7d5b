"""Values are cut off at the old range. Bicubic interpolation goes beyond it, and is left as it
is."""


def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    if n * n != len(positions) - 1:
        raise ValueError("no square")
    D = positions.shape[1]
    old = positions[1:]
    x = F.interpolate(old.T.reshape(1, D, n, n), size=new_grid, mode="bicubic", align_corners=False)
    return torch.cat((positions[:1], x[0].flatten(1).T.clamp(old.min(), old.max())))
