"""Spans of one token are left out. An answer may be one token long: first ≤ last."""


def best_span(start, end):
    N = start.shape[1]
    scores = start[:, :, None] + end[:, None, :]
    scores = scores.masked_fill(torch.ones(N, N, dtype=torch.bool).tril(0) & torch.tensor(N > 1), -torch.inf)
    best = scores.flatten(1).argmax(dim=1)
    return best // N, best % N
