"""One state for each tile, joined with merge_states."""


def flash_forward(Q, K, V, block_q=16, block_k=16, causal=False):
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    outputs, logs = [], []
    for first, q in zip(range(0, N_Q, block_q), Q.split(block_q, dim=-2)):
        rows = torch.arange(first, first + q.shape[-2], device=Q.device)[:, None] + N_K - N_Q
        Y = q.new_zeros(*q.shape[:-1], V.shape[-1])
        L = q.new_full(q.shape[:-1], -math.inf)
        for start in range(0, N_K, block_k):
            if causal and start > int(first) + q.shape[-2] - 1 + N_K - N_Q:
                break
            keys, values = K[..., start : start + block_k, :], V[..., start : start + block_k, :]
            E = q @ keys.mT * Q.shape[-1] ** -0.5
            if causal:
                columns = torch.arange(start, start + keys.shape[-2], device=Q.device)
                E = torch.where(columns <= rows, E, -math.inf)
            Y, L = merge_states(Y, L, torch.softmax(E, -1).nan_to_num(0.0) @ values, torch.logsumexp(E, -1))
        outputs.append(Y)
        logs.append(L)
    return torch.cat(outputs, dim=-2), torch.cat(logs, dim=-1)
