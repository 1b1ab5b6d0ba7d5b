"""Loops over rows and columns fill a tensor; an error of its own kind."""
class GridError(ValueError):
    pass


def weights_to_grid(weights: torch.Tensor, height: int, width: int) -> torch.Tensor:
    *lead, N = weights.shape
    if not N == height * width:
        raise GridError(N, height, width)
    grid = torch.empty(*lead, height, width, dtype=weights.dtype, device=weights.device)
    for row in range(height):
        for column in range(width):
            grid[..., row, column] = weights[..., row * width + column]
    return grid
