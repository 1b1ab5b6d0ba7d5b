"""Leading dimensions merged, baddbmm, exponentials in place, a mask on the diagonal block only."""
def blockwise_attention(Q, K, V, causal=False, block_size=256):
    N_Q, D_Q = Q.shape[-2:]
    N_K, D_V = V.shape[-2:]
    lead = Q.shape[:-2]
    Q = (Q * D_Q**-0.5).reshape(-1, N_Q, D_Q)
    K_T = K.reshape(-1, N_K, D_Q).transpose(1, 2)
    V = V.reshape(-1, N_K, D_V)
    Y = V.new_empty(Q.shape[0], N_Q, D_V)
    future = torch.ones(block_size, block_size, dtype=torch.bool, device=Q.device).triu_(1)
    with torch.no_grad():
        for q_start in range(0, N_Q, block_size):
            q = Q[:, q_start : q_start + block_size]
            rows = q.shape[1]
            m = q.new_full((q.shape[0], rows, 1), -math.inf)
            l = q.new_zeros(q.shape[0], rows, 1)  # noqa: E741
            y = q.new_zeros(q.shape[0], rows, D_V)
            for k_start in range(0, min(q_start + rows, N_K) if causal else N_K, block_size):
                p = torch.bmm(q, K_T[:, :, k_start : k_start + block_size])
                if causal and k_start == q_start:
                    p.masked_fill_(future[:rows, :rows], -math.inf)
                m_new = torch.maximum(m, p.amax(-1, keepdim=True))
                p.sub_(m_new).exp_()
                alpha = m.sub_(m_new).exp_()
                l.mul_(alpha).add_(p.sum(-1, keepdim=True))
                y.mul_(alpha).baddbmm_(p, V[:, k_start : k_start + block_size])
                m = m_new
            torch.div(y, l, out=Y[:, q_start : q_start + rows])
    return Y.reshape(*lead, N_Q, D_V)
