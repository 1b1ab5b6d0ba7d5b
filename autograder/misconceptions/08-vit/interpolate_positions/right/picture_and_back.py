"""As the text says."""


def interpolate_positions(positions, new_grid):
    n = math.isqrt(len(positions) - 1)
    if n * n != len(positions) - 1:
        raise ValueError("no square grid")
    D = positions.shape[1]
    picture = positions[1:].transpose(0, 1).reshape(1, D, n, n)
    new = F.interpolate(picture, size=new_grid, mode="bicubic", align_corners=False)
    return torch.cat([positions[:1], new.flatten(2)[0].mT], dim=0)
