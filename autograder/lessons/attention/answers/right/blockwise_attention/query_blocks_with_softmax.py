"""Blocks of queries only, each against all keys it may see: torch.softmax on (block, N_K)."""
def blockwise_attention(Q, K, V, causal=False, block_size=128):
    scale = 1 / math.sqrt(Q.shape[-1])
    outputs = []
    for start, q in zip(range(0, Q.shape[-2], block_size), Q.split(block_size, dim=-2)):
        end = start + q.shape[-2] if causal else K.shape[-2]
        E = (q * scale) @ K[..., :end, :].transpose(-1, -2)
        if causal:
            own = E[..., start:]
            own.masked_fill_(torch.ones_like(own, dtype=torch.bool).triu(1), -torch.inf)
        outputs.append(torch.softmax(E, dim=-1) @ V[..., :end, :])
    return torch.cat(outputs, dim=-2)
