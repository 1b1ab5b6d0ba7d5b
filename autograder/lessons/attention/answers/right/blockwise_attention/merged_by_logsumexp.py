"""Every block gives its own output and logsumexp, and two results are merged by their shares."""
def _block(q, k, v, hidden=None):
    e = q @ k.mT
    if hidden is not None:
        e = e.masked_fill(hidden, -torch.inf)
    largest = e.amax(-1, keepdim=True)
    e = e.sub_(largest).exp_()
    total = e.sum(-1, keepdim=True)
    return (e @ v) / total, largest + total.log()


def blockwise_attention(Q, K, V, causal=False, block_size=256):
    Q = Q.detach() / math.sqrt(Q.shape[-1])
    K, V = K.detach(), V.detach()
    blocks = []
    for i, q in enumerate(Q.split(block_size, dim=-2)):
        y = log_total = None
        for j, (k, v) in enumerate(zip(K.split(block_size, dim=-2), V.split(block_size, dim=-2))):
            if causal and j > i:
                break
            hidden = None
            if causal and i == j:
                hidden = torch.ones(q.shape[-2], k.shape[-2], dtype=bool, device=q.device).triu(1)
            y_new, log_new = _block(q, k, v, hidden)
            if y is None:
                y, log_total = y_new, log_new
                continue
            both = torch.logaddexp(log_total, log_new)
            y = y * torch.exp(log_total - both) + y_new * torch.exp(log_new - both)
            log_total = both
        blocks.append(y)
    return torch.cat(blocks, dim=-2)
