"""PyTorch's cosine of all pairs, and log-softmax."""


def nt_xent(z, temperature=0.5):
    assert_even = len(z) % 2
    if assert_even:
        raise ValueError(f"got {len(z)} rows")
    E = F.cosine_similarity(z[:, None], z[None], dim=-1).div(temperature)
    E = E - torch.diag_embed(z.new_full((len(z),), math.inf)).nan_to_num(nan=0.0, posinf=1e30)
    logs = E.log_softmax(dim=1)
    N = len(z) // 2
    return -(logs.diagonal(N).sum() + logs.diagonal(-N).sum()) / len(z)
