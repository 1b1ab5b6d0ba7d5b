"""All states at once, by cumulative sums."""


def linear_attention(Q, K, V, state=None):
    phi_Q, phi_K = F.elu(Q) + 1, F.elu(K) + 1
    S = torch.cumsum(phi_K.unsqueeze(-1) * V.unsqueeze(-2), dim=-3)
    z = torch.cumsum(phi_K, dim=-2)
    if state is not None:
        S = S + state[0].unsqueeze(-3)
        z = z + state[1].unsqueeze(-2)
    Y = torch.einsum("...nd,...ndv->...nv", phi_Q, S) / torch.einsum("...nd,...nd->...n", phi_Q, z).unsqueeze(-1)
    return Y, (S[..., -1, :, :], z[..., -1, :])
