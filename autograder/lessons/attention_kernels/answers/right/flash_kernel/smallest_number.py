"""A very small finite number as the first maximum, and weights multiplied by the mask."""


def flash_kernel(memory, program, Q, K, V, Y, L, N_Q, N_K, D, stride, block_q, block_k, causal):
    i = (program * block_q + torch.arange(block_q)).unsqueeze(1)
    d = torch.arange(D).unsqueeze(0)
    rows = i < N_Q
    q = memory.load(Q + i * stride + d, rows, 0.0)
    m = q.new_full((block_q, 1), -1e30)
    l, S = q.new_zeros(block_q, 1), q.new_zeros(block_q, D)
    end = min(N_K, (program + 1) * block_q + N_K - N_Q) if causal else N_K
    start = 0
    while start < end:
        j = (start + torch.arange(block_k)).unsqueeze(0)
        k = memory.load(K + j.T * stride + d, (j < N_K).T, 0.0)
        E = torch.einsum("id,jd->ij", q, k) / math.sqrt(D)
        visible = (j < N_K).expand(block_q, -1)
        if causal:
            visible = visible & (j - i <= N_K - N_Q)
        new = torch.maximum(m, torch.where(visible, E, -1e30).amax(1, keepdim=True))
        P = torch.where(visible, torch.exp(E - new), 0.0)
        v = memory.load(V + j.T * stride + d, (j < N_K).T, 0.0)
        l = torch.exp(m - new) * l + P.sum(1, keepdim=True)
        S = torch.exp(m - new) * S + P @ v
        m, start = new, start + block_k
    none = l == 0
    log = torch.where(none, -math.inf, m + torch.log(l))
    return (Y + i * stride + d, torch.where(none, 0.0, S / torch.where(none, 1.0, l)), rows), (L + i, log, rows)
