"""Each block of queries against all its keys, by a nested function."""


def flash_backward(Q, K, V, Y, L, dY, block_q=16, block_k=16, causal=False):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    scale = Q.shape[-1] ** -0.5
    dQ, dK, dV = (torch.zeros_like(X) for X in (Q, K, V))

    def weights(rows, columns):
        E = scale * (Q[..., rows, :] @ K[..., columns, :].mT)
        i, j = (torch.arange(N)[part].to(Q.device) for N, part in ((N_Q, rows), (N_K, columns)))
        hidden = (j[None, :] > i[:, None] + N_K - N_Q) & causal
        some = (L[..., rows] > -math.inf).unsqueeze(-1)
        safe = torch.where(some, L[..., rows].unsqueeze(-1), 0.0)
        return torch.where(some & ~hidden, torch.exp(torch.where(hidden, -math.inf, E) - safe), 0.0)

    for a in range(0, N_Q, block_q):
        rows = slice(a, min(a + block_q, N_Q))
        for c in range(0, N_K, block_k):
            if causal and c > rows.stop - 1 + N_K - N_Q:
                break
            columns = slice(c, c + block_k)
            P, G = weights(rows, columns), dY[..., rows, :]
            dP = G @ V[..., columns, :].mT
            dE = P * (dP - (G * Y[..., rows, :]).sum(-1, keepdim=True))
            dV[..., columns, :] += P.mT @ G
            dQ[..., rows, :] += scale * dE @ K[..., columns, :]
            dK[..., columns, :] += scale * dE.mT @ Q[..., rows, :]
    return dQ, dK, dV
