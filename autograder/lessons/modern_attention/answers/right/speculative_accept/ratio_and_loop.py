"""The ratio as in the paper, and a loop over the tokens."""


def speculative_accept(p, q, drafted, u_accept, u_fix):
    ratio = min(1.0, float(p[drafted]) / float(q[drafted])) if q[drafted] > 0 else 1.0
    if u_accept < ratio:
        return drafted, True
    missing = torch.relu(p.double() - q.double())
    left = u_fix * float(missing.sum())
    for token, mass in enumerate(missing.tolist()):
        if left < mass:
            return token, False
        left -= mass
    return int(missing.nonzero()[-1]), False
