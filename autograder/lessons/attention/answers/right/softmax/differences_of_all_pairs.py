"""Odd: each weight from the sum over the differences of all other similarities to it."""
def softmax(E, dim=-1):
    rows = E.movedim(dim, -1)
    differences = rows.unsqueeze(-2) - rows.unsqueeze(-1)
    hidden = torch.isneginf(rows)
    differences = differences.masked_fill(hidden.unsqueeze(-1), 0.0)
    A = torch.exp(-differences.logsumexp(-1))
    return A.masked_fill(hidden, 0.0).movedim(-1, dim)
