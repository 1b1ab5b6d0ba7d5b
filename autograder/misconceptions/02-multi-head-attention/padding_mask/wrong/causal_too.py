"""A causal mask is mixed in, so the mask is square and words look only back. Look at what the
function is told: lengths and nothing about order."""


def padding_mask(lengths, N_K):
    positions = torch.arange(N_K, device=lengths.device)
    return (positions < lengths[:, None])[:, None, None, :] & causal_mask(N_K, device=lengths.device)
