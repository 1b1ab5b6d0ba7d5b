"""The lengths get their axes first and broadcasting does the rest; gt instead of <."""
def padding_mask(lengths: torch.Tensor, N_K: int) -> torch.Tensor:
    return lengths.view(-1, 1, 1, 1).gt(torch.arange(N_K, device=lengths.device))
