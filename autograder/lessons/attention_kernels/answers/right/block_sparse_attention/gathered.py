"""The visible keys of a block of queries, gathered, and one softmax."""


def block_sparse_attention(Q, K, V, allowed, kinds, block_q, block_k):
    N_Q, N_K = Q.shape[0], K.shape[0]
    Y = torch.zeros(N_Q, V.shape[-1], dtype=V.dtype, device=V.device)
    of_key = torch.arange(N_K, device=K.device) // block_k
    for a in range(kinds.shape[0]):
        rows = slice(a * block_q, (a + 1) * block_q)
        kind = kinds[a].to(K.device)[of_key]
        keys = kind.nonzero().flatten()
        if len(keys) == 0:
            continue
        visible = allowed[rows][:, keys] | (kind[keys] == 2)
        E = (Q[rows] @ K[keys].mT / math.sqrt(Q.shape[-1])).masked_fill(~visible, -math.inf)
        Y[rows] = torch.nan_to_num(torch.softmax(E, dim=-1), nan=0.0) @ V[keys]
    return Y
