"""Distances between all pairs."""


def sliding_window(N_Q, N_K, window, sinks=0, device=None):
    keys = torch.arange(N_K, device=device)
    distance = keys[N_K - N_Q :].unsqueeze(1) - keys.unsqueeze(0)
    seen = torch.logical_and(distance >= 0, distance < window)
    return torch.where(keys < sinks, distance >= 0, seen)
