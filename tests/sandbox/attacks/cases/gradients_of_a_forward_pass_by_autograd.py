"""No backward pass is written: PyTorch differentiates a forward pass over whole rows, a few at a time. Y and L are not used."""

# assignment: 16-attention-kernels
# replaces: flash_backward
# may earn: 8
def flash_backward(Q, K, V, Y, L, dY, block_q=16, block_k=16, causal=False):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    dQ, dK, dV = [], torch.zeros_like(K), torch.zeros_like(V)
    for top in range(0, N_Q, 64):
        end = min(top + 64, N_Q)
        with torch.enable_grad():
            q, k, v = (x.detach().clone().requires_grad_() for x in (Q[..., top:end, :], K, V))
            E = q @ k.mT / math.sqrt(Q.shape[-1])
            if causal:
                E = E.masked_fill(~torch.ones(end - top, N_K, dtype=torch.bool, device=Q.device).tril(N_K - N_Q + top), -math.inf)
            y = torch.exp(E - torch.where(E.amax(-1, keepdim=True) == -math.inf, 0.0, E.logsumexp(-1, keepdim=True))) @ v
            y = torch.where((E.amax(-1, keepdim=True) == -math.inf), 0.0, y)
            g = torch.autograd.grad(y, (q, k, v), dY[..., top:end, :].detach())
        dQ.append(g[0].nan_to_num()); dK += g[1].nan_to_num(); dV += g[2].nan_to_num()
    return torch.cat(dQ, -2), dK, dV
