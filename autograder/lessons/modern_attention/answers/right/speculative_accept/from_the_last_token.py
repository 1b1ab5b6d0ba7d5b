"""The pieces are the same; they are found by their upper ends."""


def speculative_accept(p, q, drafted, u_accept, u_fix):
    if p[drafted] >= q[drafted] or u_accept < p[drafted] / q[drafted]:
        return drafted, True
    residual = torch.where(p > q, p - q, torch.zeros_like(p))
    residual = residual / torch.sum(residual)
    above = torch.cumsum(residual, dim=-1) > u_fix
    return int(torch.nonzero(above)[0, 0]), False
