"""The largest of logits with Gumbel noise; the nucleus in sorted order, and back by gather."""
def sample(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    k = logits.shape[1] if top_k is None else min(top_k, logits.shape[1])
    p = 1.0 if top_p is None else top_p
    if temperature < 0 or k < 1 or not 0 < p <= 1:
        raise ValueError(f"bad arguments: {temperature}, {top_k}, {top_p}")
    if temperature == 0:
        return torch.argmax(logits, 1)
    ordered, order = torch.sort(logits / temperature, dim=1, descending=True)
    ordered = ordered.masked_fill(ordered < ordered[:, k - 1 : k], -torch.inf)
    share = ordered.softmax(1)
    before = torch.cat((torch.zeros(len(share), 1).to(share), share.cumsum(1)[:, :-1]), dim=1)
    if top_p is not None:
        ordered = torch.where(before < p, ordered, -torch.inf)
    noise = -torch.log(-torch.log(torch.rand(ordered.shape, generator=generator, dtype=torch.float64).clamp(min=1e-300)))
    best = (ordered + noise).argmax(1, keepdim=True)
    return order.gather(1, best)[:, 0]
