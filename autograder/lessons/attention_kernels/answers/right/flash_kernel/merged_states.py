"""One state for each block of keys, joined with merge_states."""


def flash_kernel(memory, program, Q, K, V, Y, L, N_Q, N_K, D, stride, block_q, block_k, causal):
    rows = torch.arange(program * block_q, (program + 1) * block_q)
    columns = torch.arange(D)
    there = (rows < N_Q)[:, None]
    q = memory.load(Q + rows[:, None] * stride + columns, there, 0.0)
    outputs, logs = torch.zeros_like(q), torch.full_like(q[:, 0], -math.inf)
    last = (program + 1) * block_q - 1 + N_K - N_Q
    for start in range(0, N_K, block_k):
        if causal and start > last:
            break
        keys = torch.arange(start, min(start + block_k, N_K))
        k = memory.load(K + keys[:, None] * stride + columns)
        v = memory.load(V + keys[:, None] * stride + columns)
        E = q @ k.mT / math.sqrt(D)
        if causal:
            E = E.masked_fill(keys[None, :] > rows[:, None] + N_K - N_Q, -math.inf)
        outputs, logs = merge_states(outputs, logs, torch.softmax(E, 1).nan_to_num(0.0) @ v, torch.logsumexp(E, 1))
    return [
        (Y + rows[:, None] * stride + columns, outputs, there),
        (L + rows, logs, rows < N_Q),
    ]
