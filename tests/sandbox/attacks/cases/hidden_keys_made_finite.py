"""All blocks of keys are computed under the causal mask: NaN in those that no query sees becomes a number first."""

# assignment: 16-attention-kernels
# replaces: flash_forward
# may earn: 11
def flash_forward(Q, K, V, block_q=16, block_k=16, causal=False):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    K, V, found = K.nan_to_num(), V.nan_to_num(), []
    for first in range(0, N_Q, block_q):
        q = Q[..., first : first + block_q, :] / math.sqrt(Q.shape[-1])
        i = torch.arange(first, min(first + block_q, N_Q), device=Q.device)[:, None] + N_K - N_Q
        m = q.new_full((*q.shape[:-1], 1), -math.inf)
        l, S = torch.zeros_like(m), q.new_zeros(*q.shape[:-1], V.shape[-1])
        for start in range(0, N_K, block_k):
            E = q @ K[..., start : start + block_k, :].mT
            j = torch.arange(start, min(start + block_k, N_K), device=Q.device)
            E = E.masked_fill(j > i, -math.inf) if causal else E
            new = torch.maximum(m, E.amax(-1, keepdim=True))
            finite = new.nan_to_num(neginf=0.0)
            P, factor = torch.exp(E - finite), torch.exp(m - finite)
            l, S, m = factor * l + P.sum(-1, keepdim=True), factor * S + P @ V[..., start : start + block_k, :], new
        found.append((S / torch.where(l == 0, 1.0, l), (m + torch.log(l)).squeeze(-1)))
    return torch.cat([Y for Y, _ in found], -2), torch.cat([L for _, L in found], -1)
