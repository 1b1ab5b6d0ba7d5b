"""A lambda bound to the name."""
causal_mask = lambda N_Q, N_K=None, device=None: torch.tril(  # noqa: E731
    torch.ones(N_Q, N_K or N_Q, device=device, dtype=torch.bool), (N_K or N_Q) - N_Q
)
