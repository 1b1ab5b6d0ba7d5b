"""The state is kept turned, values by keys, as in papers that write S k."""


def delta_rule(Q, K, V, beta, S=None):
    shape = (*V.shape[:-2], V.shape[-1], K.shape[-1])
    turned = S.mT if S is not None else V.new_zeros(shape)
    columns = []
    for t in range(V.shape[-2]):
        k, v, q = (X[..., t, :].unsqueeze(-1) for X in (K, V, Q))
        error = turned @ k - v
        turned = turned - beta[..., t].unsqueeze(-1).unsqueeze(-1) * error @ k.mT
        columns.append(turned @ q)
    return torch.cat(columns, dim=-1).mT, turned.mT
