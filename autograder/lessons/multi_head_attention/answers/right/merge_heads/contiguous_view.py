"""view after contiguous."""
def merge_heads(Y: torch.Tensor) -> torch.Tensor:
    moved = Y.swapaxes(-2, -3).contiguous()
    return moved.view(moved.shape[:-2] + (moved.shape[-2] * moved.shape[-1],))
