"""Odd: causal attention splits the sequence in halves and merges the results of the second half."""
def _all_keys(Q, K, V, block_size):
    outputs, logs = [], []
    for q in Q.split(block_size, dim=-2):
        E = q @ K.mT
        largest = E.amax(-1, keepdim=True)
        E.sub_(largest).exp_()
        total = E.sum(-1, keepdim=True)
        outputs.append((E @ V).div_(total))
        logs.append(total.log_().add_(largest))
    return torch.cat(outputs, dim=-2), torch.cat(logs, dim=-2)


def _past_keys(Q, K, V, block_size):
    N = Q.shape[-2]
    if N <= block_size:
        E = Q @ K.mT
        E.masked_fill_(torch.ones(N, N, dtype=torch.bool, device=Q.device).triu(1), -torch.inf)
        return torch.softmax(E, dim=-1) @ V, torch.logsumexp(E, dim=-1, keepdim=True)
    half = (N + 1) // 2
    y_1, log_1 = _past_keys(Q[..., :half, :], K[..., :half, :], V[..., :half, :], block_size)
    y_2, log_2 = _past_keys(Q[..., half:, :], K[..., half:, :], V[..., half:, :], block_size)
    y_0, log_0 = _all_keys(Q[..., half:, :], K[..., :half, :], V[..., :half, :], block_size)
    share = torch.sigmoid(log_2 - log_0)
    y_2 = y_0 + share * (y_2 - y_0)
    both = torch.logaddexp(log_0, log_2)
    return torch.cat([y_1, y_2], dim=-2), torch.cat([log_1, both], dim=-2)


@torch.no_grad()
def blockwise_attention(Q, K, V, causal=False, block_size=128):
    Q = Q / math.sqrt(Q.shape[-1])
    attention = _past_keys if causal else _all_keys
    return attention(Q, K, V, block_size)[0]
