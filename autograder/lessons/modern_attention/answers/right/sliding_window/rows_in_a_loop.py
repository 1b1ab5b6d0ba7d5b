"""Row by row, with slices."""


def sliding_window(N_Q, N_K, window, sinks=0, device=None):
    allowed = torch.zeros((N_Q, N_K), dtype=torch.bool, device=device)
    for i in range(N_Q):
        p = i + N_K - N_Q
        allowed[i, max(p - window + 1, 0) : p + 1] = True
        allowed[i, : min(sinks, p + 1)] = True
    return allowed
