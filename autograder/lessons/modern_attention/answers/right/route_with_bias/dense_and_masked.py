"""Weights of all experts, those that are not chosen set to 0, and the chosen ones picked at the end."""


def route_with_bias(logits, bias, k):
    probs = logits.sigmoid()
    _, idx = torch.topk((probs + bias).detach(), k)
    mask = torch.zeros_like(probs).scatter(-1, idx, 1.0)
    dense = probs * mask
    dense = dense / dense.sum(-1, keepdim=True)
    return torch.gather(dense, -1, idx), idx
