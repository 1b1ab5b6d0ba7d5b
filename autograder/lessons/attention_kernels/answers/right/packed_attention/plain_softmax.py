"""Text by text, with a plain softmax."""


def packed_attention(Q, K, V, starts_q, starts_k, causal=False):
    outputs = [V.new_zeros(V.shape[0], 0, V.shape[-1])]
    for text in range(len(starts_q) - 1):
        q = Q[:, int(starts_q[text]) : int(starts_q[text + 1])]
        k, v = (X[:, int(starts_k[text]) : int(starts_k[text + 1])] for X in (K, V))
        E = q @ k.mT / math.sqrt(Q.shape[-1])
        if causal:
            n, m = E.shape[-2:]
            E = torch.where(torch.ones(n, m, dtype=torch.bool, device=Q.device).tril(m - n), E, -math.inf)
        outputs.append(torch.nan_to_num(torch.softmax(E, dim=-1)) @ v)
    return torch.cat(outputs, dim=1)
