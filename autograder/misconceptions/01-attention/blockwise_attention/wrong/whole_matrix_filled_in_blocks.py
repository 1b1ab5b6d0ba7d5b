"""The similarities are computed in blocks but written into one N_Q × N_K matrix, so the memory
grows with the square of N. Look at the largest tensor in your function."""


def blockwise_attention(Q, K, V, causal=False, block_size=128):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    Q = Q / math.sqrt(Q.shape[-1])
    E = Q.new_full((*Q.shape[:-1], N_K), -torch.inf)
    for i in range(0, N_Q, block_size):
        for j in range(0, i + 1 if causal else N_K, block_size):
            e = Q[..., i : i + block_size, :] @ K[..., j : j + block_size, :].mT
            if causal and j == i:
                e = e.masked_fill(torch.ones_like(e, dtype=torch.bool).triu(1), -torch.inf)
            E[..., i : i + block_size, j : j + block_size] = e
    return torch.softmax(E, dim=-1) @ V
