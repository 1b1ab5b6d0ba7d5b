"""Odd: one head after the other with matrix products of two dimensions, no leading dimensions
left."""
@torch.no_grad()
def _one_head(Q, K, V, causal, block_size):
    Y = torch.empty(Q.shape[0], V.shape[1], dtype=Q.dtype, device=Q.device)
    K_T = K.t()
    for i in range(0, Q.shape[0], block_size):
        q = Q[i : i + block_size] / math.sqrt(Q.shape[1])
        end = i + q.shape[0] if causal else K.shape[0]
        e = q.mm(K_T[:, :end])
        if causal:
            own = torch.ones(q.shape[0], q.shape[0], dtype=torch.bool, device=Q.device)
            e[:, i:].masked_fill_(own.triu(1), -torch.inf)
        e = e.sub_(e.amax(1, keepdim=True)).exp_()
        torch.mm(e, V[:end], out=Y[i : i + block_size])
        Y[i : i + block_size].div_(e.sum(1, keepdim=True))
    return Y


def blockwise_attention(Q, K, V, causal=False, block_size=256):
    lead = Q.shape[:-2]
    heads = zip(*(X.reshape(-1, *X.shape[-2:]) for X in (Q, K, V)))
    Y = torch.stack([_one_head(*head, causal, block_size) for head in heads])
    return Y.reshape(*lead, *Y.shape[1:])
