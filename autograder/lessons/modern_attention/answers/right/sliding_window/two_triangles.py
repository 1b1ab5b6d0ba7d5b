"""A causal mask without what is too far back."""


def sliding_window(N_Q, N_K, window, sinks=0, device=None):
    ones = torch.ones(N_Q, N_K, dtype=torch.bool, device=device)
    past = N_K - N_Q
    near = ones.tril(past) & ones.triu(past - window + 1)
    first = ones.tril(past)
    first[:, sinks:] = False
    return near | first
