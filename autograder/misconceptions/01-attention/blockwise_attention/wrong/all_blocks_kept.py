"""The exponentials of all blocks are kept in a list until the end, so the memory grows with the
square of N. Look at what has to be carried from one block to the next."""


def blockwise_attention(Q, K, V, causal=False, block_size=128):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    Q = Q / math.sqrt(Q.shape[-1])
    weights = []
    for start in range(0, N_Q, block_size):
        q = Q[..., start : start + block_size, :]
        end = start + q.shape[-2] if causal else N_K
        e = q @ K[..., :end, :].mT
        if causal:
            hidden = torch.ones_like(e, dtype=torch.bool).triu(1 + start)
            e = e.masked_fill(hidden, -torch.inf)
        weights.append(torch.softmax(e, dim=-1))
    return torch.cat([a @ V[..., : a.shape[-1], :] for a in weights], dim=-2)
