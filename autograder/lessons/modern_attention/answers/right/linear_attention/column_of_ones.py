"""The denominator as one more column of the values, which are all 1."""


def linear_attention(Q, K, V, state=None):
    phi_Q, phi_K = F.elu(Q) + 1, F.elu(K) + 1
    values = torch.cat([V, torch.ones_like(V[..., :1])], dim=-1)
    N = Q.shape[-2]
    weights = phi_Q @ phi_K.mT * torch.ones(N, N, dtype=Q.dtype, device=Q.device).tril()
    sums, after = weights @ values, phi_K.mT @ values
    if state is not None:
        before = torch.cat([state[0], state[1].unsqueeze(-1)], dim=-1)
        sums, after = sums + phi_Q @ before, after + before
    return sums[..., :-1] / sums[..., -1:], [after[..., :-1], after[..., -1]]
