"""The first mask is kept and returned for every size. Look for a store that outlives the call, and
at what it is looked up by."""

_kept = []


def causal_mask(N_Q, N_K=None, device=None):
    N_K = N_Q if N_K is None else N_K
    if not _kept:
        ones = torch.ones(N_Q, N_K, dtype=torch.bool, device=device)
        _kept.append(torch.tril(ones, diagonal=N_K - N_Q))
    return _kept[0]
