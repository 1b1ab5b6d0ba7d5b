"""The rank of every relevant document, without ranked_gains."""


def recall_at_k(scores, relevant, k):
    if k < 1 or not bool(relevant.any()):
        raise ValueError("k has to be at least 1, and something has to be relevant")
    shares = []
    for s, r in zip(scores, relevant):
        if r.any():
            own, others = s[r].sort(descending=True).values, s[~r]
            ranks = torch.tensor([1 + n + int((others >= value).sum()) for n, value in enumerate(own)])
            shares.append((ranks <= k).double().mean())
    return torch.stack(shares).mean()
