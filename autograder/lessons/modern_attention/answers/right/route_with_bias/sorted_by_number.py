"""The experts in the order of their numbers, written out."""


def route_with_bias(logits, bias, k):
    s = 1 / (1 + torch.exp(-logits))
    best = torch.argsort(s + bias, dim=-1, descending=True)[..., :k]
    chosen, _ = torch.sort(best, dim=-1)
    p = torch.take_along_dim(s, chosen, dim=-1)
    return p / p.sum(-1).unsqueeze(-1), chosen
