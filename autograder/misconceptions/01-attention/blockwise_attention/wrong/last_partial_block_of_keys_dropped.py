"""The keys after the last full block are left out when N_K is not a multiple of block_size. Look at
the number of blocks of keys."""


def blockwise_attention(Q, K, V, causal=False, block_size=128):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    Q = Q / math.sqrt(Q.shape[-1])
    outputs = []
    for start in range(0, N_Q, block_size):
        q = Q[..., start : start + block_size, :]
        end = start + q.shape[-2]
        largest = torch.full_like(q[..., :1], -torch.inf)
        total = torch.zeros_like(largest)
        summed = q.new_zeros(*q.shape[:-1], V.shape[-1])
        for j in range(N_K // block_size):
            left = j * block_size
            if causal and left > start:
                break
            e = q @ K[..., left : left + block_size, :].mT
            if causal and left == start:
                e = e.masked_fill(torch.ones_like(e, dtype=torch.bool).triu(1), -torch.inf)
            new = torch.maximum(largest, e.amax(dim=-1, keepdim=True))
            rescale = torch.exp(largest - new)
            a = torch.exp(e - new)
            total = total * rescale + a.sum(dim=-1, keepdim=True)
            summed = summed * rescale + a @ V[..., left : left + block_size, :]
            largest = new
        outputs.append(summed / total)
    return torch.cat(outputs, dim=-2)
