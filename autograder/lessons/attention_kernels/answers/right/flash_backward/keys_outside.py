"""Blocks of keys outside, blocks of queries inside."""


def flash_backward(Q, K, V, Y, L, dY, block_q=16, block_k=16, causal=False):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    root = math.sqrt(Q.shape[-1])
    delta = torch.einsum("...nd,...nd->...n", dY, Y)
    dQ, keys, values = torch.zeros_like(Q), [], []
    for c in range(0, N_K, block_k):
        d = min(c + block_k, N_K)
        k, v = K[..., c:d, :], V[..., c:d, :]
        dk, dv = torch.zeros_like(k), torch.zeros_like(v)
        for a in range(0, N_Q, block_q):
            b = min(a + block_q, N_Q)
            if causal and c > b - 1 + N_K - N_Q:
                continue
            log = L[..., a:b, None]
            E = Q[..., a:b, :] @ k.mT / root
            P = torch.where(log > -math.inf, torch.exp(E - log.clamp(min=torch.finfo(log.dtype).min)), 0.0)
            if causal:
                rows = torch.arange(a, b, device=Q.device)[:, None] + N_K - N_Q
                P = torch.where(torch.arange(c, d, device=Q.device) <= rows, P, 0.0)
            dv = dv + P.mT @ dY[..., a:b, :]
            dE = P * (dY[..., a:b, :] @ v.mT - delta[..., a:b, None])
            dQ[..., a:b, :] += dE @ k / root
            dk = dk + dE.mT @ Q[..., a:b, :] / root
        keys.append(dk)
        values.append(dv)
    return dQ, torch.cat(keys, dim=-2), torch.cat(values, dim=-2)
