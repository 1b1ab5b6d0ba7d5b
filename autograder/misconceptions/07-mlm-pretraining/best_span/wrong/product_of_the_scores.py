"""The scores are multiplied. They are logarithms, up to a constant: add them."""


def best_span(start, end):
    N = start.shape[1]
    scores = start[:, :, None] * end[:, None, :]
    scores = scores.masked_fill(torch.ones(N, N, dtype=torch.bool).tril(-1), -torch.inf)
    best = scores.flatten(1).argmax(dim=1)
    return best // N, best % N
