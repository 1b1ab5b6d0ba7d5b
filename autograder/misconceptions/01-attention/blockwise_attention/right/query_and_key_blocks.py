"""Blocks of queries by blocks of keys, running maximum and sum, plain expressions."""


def blockwise_attention(Q, K, V, causal=False, block_size=256):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    Q = Q / math.sqrt(Q.shape[-1])
    Y = torch.empty(*Q.shape[:-1], V.shape[-1], dtype=V.dtype, device=V.device)
    for start in range(0, N_Q, block_size):
        end = min(start + block_size, N_Q)
        q = Q[..., start:end, :]
        largest = torch.full_like(q[..., :1], -torch.inf)
        total = torch.zeros_like(largest)
        summed = torch.zeros_like(Y[..., start:end, :])
        for left in range(0, end if causal else N_K, block_size):
            right = min(left + block_size, N_K)
            e = q @ K[..., left:right, :].mT
            if causal and right > start + 1:
                rows = torch.arange(start, end, device=Q.device).unsqueeze(1)
                columns = torch.arange(left, right, device=Q.device)
                e = e.masked_fill(columns > rows, -torch.inf)
            new = torch.maximum(largest, e.amax(dim=-1, keepdim=True))
            e = torch.exp(e - new)
            rescale = torch.exp(largest - new)
            total = rescale * total + e.sum(dim=-1, keepdim=True)
            summed = rescale * summed + e @ V[..., left:right, :]
            largest = new
        Y[..., start:end, :] = summed / total
    return Y
