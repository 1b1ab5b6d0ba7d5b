"""Row by row, with sets of tokens."""
def sample(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if temperature < 0:
        raise ValueError("the temperature is below 0")
    if top_k is not None and top_k <= 0:
        raise ValueError("top_k is below 1")
    if top_p is not None and (top_p <= 0 or top_p > 1):
        raise ValueError("top_p is not in (0, 1]")
    if not temperature:
        return logits.max(dim=1).indices
    P = F.softmax(logits / temperature, dim=1)
    kept = []
    for row in P.unique(dim=0) if len(P) > 1000 else P:
        order = row.argsort(descending=True)
        left = torch.ones_like(row, dtype=torch.bool)
        if top_k is not None:
            left = row >= row[order[min(top_k, len(row)) - 1]]
        row = row * left / (row * left).sum()
        if top_p is not None:
            total = 0.0
            for token in order:
                if total >= top_p:
                    row[token] = 0.0
                total += float(row[token])
        kept.append(row)
    if len(P) > 1000:
        _, which = P.unique(dim=0, return_inverse=True)
        chosen = torch.stack(kept)[which]
    else:
        chosen = torch.stack(kept)
    return torch.multinomial(chosen, num_samples=1, generator=generator).squeeze(1)
