"""A number between 0 and 1 falls into one of the intervals of the cumulated probabilities."""
def sample(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if temperature < 0 or (top_k or 1) < 1 or top_k == 0 or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError("temperature, top_k or top_p is out of range")
    if temperature == 0:
        return logits.argmax(1)
    P = (logits.double() / temperature).softmax(1)
    order = P.argsort(1, descending=True)
    P = P.gather(1, order)
    if top_k is not None and top_k < P.shape[1]:
        P = torch.where(P < P[:, [top_k - 1]], 0.0, P)
        P = P / P.sum(1, keepdim=True)
    if top_p is not None:
        P = torch.where(P.cumsum(1) - P < top_p, P, 0.0)
    ends = P.cumsum(1)
    number = torch.rand(len(P), 1, generator=generator, dtype=torch.float64) * ends[:, -1:]
    return order.gather(1, torch.searchsorted(ends, number, right=True).clamp(max=P.shape[1] - 1))[:, 0]
