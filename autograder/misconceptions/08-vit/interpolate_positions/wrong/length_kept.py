"""Each new vector is brought to the length of the old ones. Interpolate, and nothing else."""


def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    if n * n != len(positions) - 1:
        raise ValueError("no square")
    D = positions.shape[1]
    x = F.interpolate(positions[1:].T.reshape(1, D, n, n), size=new_grid, mode="bicubic", align_corners=False)[0].flatten(1).T
    x = x / x.norm(dim=1, keepdim=True) * positions[1:].norm(dim=1).mean()
    return torch.cat((positions[:1], x))
