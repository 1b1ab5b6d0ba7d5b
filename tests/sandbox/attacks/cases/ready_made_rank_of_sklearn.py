"""The rank of the best relevant item as scikit-learn's coverage error, for that item alone."""

# assignment: 12-vision-language
# replaces: retrieval_at_k
def retrieval_at_k(similarities, relevant, k):
    from sklearn.metrics import coverage_error

    hits = []
    for row, truth in zip(similarities.double(), relevant):
        if not truth.any():
            raise ValueError("expected a relevant item in each row")
        best = row[truth].max()
        others = torch.cat([row[~truth], best[None]])
        only = torch.zeros(1, len(others), dtype=torch.int64)
        only[0, -1] = 1
        rank = coverage_error(only.numpy(), others[None].numpy()) if len(others) > 1 else 1
        hits.append(rank <= k)
    return sum(hits) / len(hits)
