"""All scores of the block of queries, and a softmax in the end: keys and values come in blocks."""


def flash_kernel(memory, program, Q, K, V, Y, L, N_Q, N_K, D, stride, block_q, block_k, causal):
    i = program * block_q + torch.arange(block_q)[:, None]
    d = torch.arange(D)[None, :]
    q = memory.load(Q + i * stride + d, i < N_Q, 0.0)
    end = min(N_K, (program + 1) * block_q + N_K - N_Q) if causal else N_K
    j = torch.arange(max(0, end))[:, None]
    if end > 0:
        k, v = (torch.cat([memory.load(X + rows * stride + d) for rows in j.split(block_k)]) for X in (K, V))
    else:
        k = v = torch.zeros(0, D)
    E = q @ k.T / D**0.5
    if causal:
        E = torch.where(j.T <= i + N_K - N_Q, E, -math.inf)
    A = torch.nan_to_num(torch.softmax(E, dim=1), nan=0.0)
    return (Y + i * stride + d, A @ v, i < N_Q), (L + i, torch.logsumexp(E, dim=1, keepdim=True), i < N_Q)
