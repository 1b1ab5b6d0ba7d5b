"""The outer loop runs over the keys, and all queries that may see a block are updated together."""
@torch.no_grad()
def blockwise_attention(Q, K, V, causal=False, block_size=128):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    Q = Q * (1 / math.sqrt(Q.shape[-1]))
    largest = Q.new_full((*Q.shape[:-1], 1), -torch.inf)
    total = Q.new_zeros(*Q.shape[:-1], 1)
    Y = Q.new_zeros(*Q.shape[:-1], V.shape[-1])
    for left in range(0, N_K, block_size):
        right = min(left + block_size, N_K)
        rows = slice(left if causal else 0, N_Q)
        E = Q[..., rows, :] @ K[..., left:right, :].mT
        if causal:
            diagonal = E[..., : right - left, :]
            future = torch.ones(right - left, right - left, dtype=torch.bool, device=Q.device)
            diagonal.masked_fill_(future.triu(1), -torch.inf)
        new = torch.maximum(largest[..., rows, :], E.amax(dim=-1, keepdim=True))
        rescale = torch.exp(largest[..., rows, :] - new)
        E.sub_(new).exp_()
        total[..., rows, :] = total[..., rows, :] * rescale + E.sum(dim=-1, keepdim=True)
        Y[..., rows, :] = Y[..., rows, :] * rescale + E @ V[..., left:right, :]
        largest[..., rows, :] = new
    return Y / total
