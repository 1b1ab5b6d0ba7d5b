"""Powers of two with log2(e) in the scale, and only partial tiles masked."""


def flash_forward(Q, K, V, block_q=16, block_k=16, causal=False):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    outputs, logs = [], []
    for first in range(0, N_Q, block_q):
        q = Q[..., first : first + block_q, :] * (math.log2(math.e) / math.sqrt(Q.shape[-1]))
        rows = q.shape[-2]
        offset = first + N_K - N_Q
        m = torch.full_like(q[..., :1], -math.inf)
        l = torch.zeros_like(m)
        S = torch.zeros_like(q @ V[..., :0, :].mT.new_zeros(*V.shape[:-2], q.shape[-1], V.shape[-1]))
        start = 0
        while start < N_K and not (causal and start > offset + rows - 1):
            E = q @ K[..., start : start + block_k, :].mT
            if causal and start + E.shape[-1] - 1 > offset:
                visible = torch.ones_like(E[..., :, :], dtype=torch.bool).tril(offset - start)
                E = E.masked_fill(~visible, -math.inf)
            new = torch.maximum(m, E.max(dim=-1, keepdim=True).values)
            base = torch.where(new == -math.inf, torch.zeros_like(new), new)
            P = torch.exp2(E - base)
            shrink = torch.exp2(m - base)
            l = l * shrink + P.sum(-1, keepdim=True)
            S = S * shrink + P @ V[..., start : start + block_k, :]
            m = new
            start += block_k
        outputs.append(torch.where(l > 0, S / l, torch.zeros_like(S)))
        logs.append(((m + torch.log2(l)) * math.log(2))[..., 0])
    return torch.cat(outputs, dim=-2), torch.cat(logs, dim=-1)
