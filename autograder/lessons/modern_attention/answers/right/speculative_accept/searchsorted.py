"""torch.searchsorted finds the place of u_fix among the cumulative sums."""


def speculative_accept(p, q, drafted, u_accept, u_fix):
    accepted = bool(p[drafted] > u_accept * q[drafted])
    if accepted:
        token = drafted
    else:
        sums = torch.maximum(p - q, torch.zeros_like(p)).cumsum(0)
        at = torch.tensor(u_fix, dtype=sums.dtype) * sums[-1]
        token = torch.searchsorted(sums, at, right=True).item()
    return token, accepted
