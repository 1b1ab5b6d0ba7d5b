"""Odd: kept for each size and device by lru_cache, and copied before it is returned."""
import functools


@functools.lru_cache(maxsize=None)
def _triangle(N_Q, N_K, device):
    return torch.ones(N_Q, N_K, dtype=torch.bool, device=device).tril(N_K - N_Q)


def causal_mask(N_Q, N_K=None, device=None):
    return _triangle(N_Q, N_Q if N_K is None else N_K, device).clone()
