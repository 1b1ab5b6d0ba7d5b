"""The tile's part of the loss by autograd: Σ P dP − P Δ, with the weights computed again."""


def flash_backward(Q, K, V, Y, L, dY, block_q=16, block_k=16, causal=False):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    delta = (dY * Y).sum(-1)[..., None]
    for a in range(0, N_Q, block_q):
        for c in range(0, N_K, block_k):
            rows, columns = slice(a, a + block_q), slice(c, c + block_k)
            if causal and c >= min(a + block_q, N_Q) + N_K - N_Q:
                continue
            with torch.enable_grad():
                q, k, v = (x.detach().clone().requires_grad_() for x in (Q[..., rows, :], K[..., columns, :], V[..., columns, :]))
                log = L[..., rows, None].detach()
                seen = log > -math.inf
                P = torch.exp(q @ k.mT / math.sqrt(q.shape[-1]) - torch.where(seen, log, math.inf))
                if causal:
                    P = P.tril(a + N_K - N_Q - c)
                loss = (P * (dY[..., rows, :] @ v.mT)).sum() - (P * delta[..., rows, :]).sum()
                parts = torch.autograd.grad(loss, (q, k, v))
            dQ[..., rows, :] += parts[0]
            dK[..., columns, :] += parts[1]
            dV[..., columns, :] += parts[2]
    return dQ, dK, dV
