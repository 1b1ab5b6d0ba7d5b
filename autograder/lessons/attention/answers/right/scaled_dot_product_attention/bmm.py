"""bmm after all leading dimensions have been merged into one."""
def scaled_dot_product_attention(Q, K, V, allowed=None):
    lead, N_Q, D_Q = Q.shape[:-2], Q.shape[-2], Q.shape[-1]
    N_K, D_V = V.shape[-2:]
    Q = Q.reshape(-1, N_Q, D_Q)
    K = K.reshape(-1, N_K, D_Q)
    V = V.reshape(-1, N_K, D_V)
    E = torch.bmm(Q, K.transpose(1, 2)) / D_Q**0.5
    if allowed is not None:
        hidden = ~allowed.expand(*lead, N_Q, N_K).reshape(-1, N_Q, N_K)
        E = E.masked_fill(hidden, float("-inf"))
    A = F.softmax(E, dim=2)
    if allowed is not None:
        A = A.masked_fill(hidden, 0)
    Y = torch.bmm(A, V)
    return Y.reshape(*lead, N_Q, D_V), A.reshape(*lead, N_Q, N_K)
