"""tril of floats, turned into bool and moved to the device at the end."""
def causal_mask(N_Q: int, N_K: int | None = None, device=None) -> torch.Tensor:
    width = N_Q if N_K is None else N_K
    mask = torch.tril(torch.ones(N_Q, width), diagonal=width - N_Q).bool()
    return mask if device is None else mask.to(device)
