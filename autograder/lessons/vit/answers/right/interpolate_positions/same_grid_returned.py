"""The same grid is handed back as it is."""
def interpolate_positions(positions, new_grid):
    class_row, patches = positions[0], positions[1:]
    n = round(len(patches) ** 0.5)
    if n**2 != len(patches):
        raise ValueError(f"{len(patches)} patches are no square")
    if (n, n) == tuple(new_grid):
        return positions.clone()
    new = F.interpolate(
        patches.T.view(1, -1, n, n) if patches.T.is_contiguous() else patches.T.reshape(1, -1, n, n),
        size=new_grid,
        mode="bicubic",
        align_corners=False,
    )
    return torch.cat((class_row[None], new.squeeze(0).flatten(1).transpose(0, 1)))
