"""A weight for each expert, 0 where it was not chosen, after a softmax of masked logits."""


def mix_experts(X, logits, expert, k):
    chosen = torch.zeros_like(logits, dtype=torch.bool)
    chosen.scatter_(-1, logits.topk(k, dim=-1).indices, True)
    weights = logits.masked_fill(~chosen, -math.inf).softmax(-1)
    Y = torch.zeros_like(X)
    for e in range(logits.shape[1]):
        mine = chosen[:, e]
        if mine.any():
            part = torch.zeros_like(X)
            part[mine] = weights[mine, e].unsqueeze(-1) * expert(e, X[mine])
            Y = Y + part
    return Y
