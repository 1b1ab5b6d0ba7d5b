"""The softmax over all logits, divided by the sum of the chosen, and rows sorted by their expert."""


def mix_experts(X, logits, expert, k):
    E = logits.shape[-1]
    log_p, chosen = torch.log_softmax(logits, dim=-1).topk(k, dim=-1)
    weights = (log_p - log_p.logsumexp(dim=-1, keepdim=True)).exp().flatten()
    order = chosen.flatten().argsort(stable=True)
    rows = torch.div(order, k, rounding_mode="floor")
    counts = torch.bincount(chosen.flatten(), minlength=E).tolist()
    parts = [expert(e, part) for e, part in enumerate(X[rows].split(counts)) if len(part)]
    results = torch.cat(parts) * weights[order].unsqueeze(-1)
    return torch.zeros_like(X).index_add(0, rows, results)
