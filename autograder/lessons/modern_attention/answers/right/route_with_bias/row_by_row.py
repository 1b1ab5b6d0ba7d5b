"""A loop over the rows, and normalize for the sum."""


def route_with_bias(logits, bias, k):
    E = logits.shape[-1]
    flat = torch.sigmoid(logits).reshape(-1, E)
    picks = torch.stack([(row + bias).topk(k)[1] for row in flat])
    own = torch.stack([row[pick] for row, pick in zip(flat, picks)])
    own = F.normalize(own, p=1, dim=-1)
    return own.reshape(*logits.shape[:-1], k), picks.reshape(*logits.shape[:-1], k)
