"""Both ways the shape is changed without swapping axes. A table has its channels last, a picture in
front."""


def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    if n * n != len(positions) - 1:
        raise ValueError("no square grid")
    new = F.interpolate(positions[1:].reshape(1, -1, n, n), size=new_grid, mode="bicubic", align_corners=False)
    return torch.cat((positions[:1], new.reshape(-1, positions.shape[1])))
