"""Everything is computed in float32. Keep the dtype of the positions."""


def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    if n * n != len(positions) - 1:
        raise ValueError("no square")
    D = positions.shape[1]
    positions = positions.float()
    x = F.interpolate(positions[1:].T.reshape(1, D, n, n), size=new_grid, mode="bicubic", align_corners=False)
    return torch.cat((positions[:1], x[0].flatten(1).T))
