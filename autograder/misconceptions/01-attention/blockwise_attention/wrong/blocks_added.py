"""Every block has a softmax of its own and the results are added, so the weights of a query sum to
the number of blocks. Look at how much of the total sum of exponentials each block holds."""


def blockwise_attention(Q, K, V, causal=False, block_size=128):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    Q = Q / math.sqrt(Q.shape[-1])
    outputs = []
    for start in range(0, N_Q, block_size):
        q = Q[..., start : start + block_size, :]
        end = start + q.shape[-2]
        results = []
        for left in range(0, end if causal else N_K, block_size):
            e = q @ K[..., left : left + block_size, :].mT
            if causal and left == start:
                e = e.masked_fill(torch.ones_like(e, dtype=torch.bool).triu(1), -torch.inf)
            results.append(torch.softmax(e, dim=-1) @ V[..., left : left + block_size, :])
        outputs.append(torch.stack(results).sum(dim=0))
    return torch.cat(outputs, dim=-2)
