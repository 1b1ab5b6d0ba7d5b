"""Stretches each of the D maps alone."""
def interpolate_positions(positions: torch.Tensor, new_grid: tuple[int, int]) -> torch.Tensor:
    cls, patches = positions[0], positions[1:]
    side = int(round(patches.size(0) ** 0.5))
    if side**2 != patches.size(0):
        raise ValueError("the old grid has to be a square")
    maps = [
        F.interpolate(m.reshape(1, 1, side, side), size=new_grid, mode="bicubic", align_corners=False).flatten()
        for m in patches.unbind(1)
    ]
    return torch.cat((cls[None], torch.stack(maps, dim=1)), dim=0)
