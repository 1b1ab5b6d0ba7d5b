"""Lists joined in Python, a complete sort, and padding at the end."""


def probe_search(queries, documents, centroids, order, starts, k, probes):
    if k < 1 or not 0 < probes <= len(centroids):
        raise ValueError("Expected k of at least 1 and probes from 1 to the number of centroids.")
    all_values, all_ids = [], []
    for query in queries:
        lists = (centroids @ query).argsort(descending=True)[:probes].tolist()
        some = torch.tensor([document for c in lists for document in order[starts[c]:starts[c + 1]].tolist()], dtype=torch.int64)
        scores, at = (documents[some] @ query).sort(descending=True)
        room = max(k - len(some), 0)
        all_values.append(F.pad(scores[:k], (0, room), value=-math.inf))
        all_ids.append(F.pad(some[at][:k], (0, room), value=-1))
    return torch.stack(all_values), torch.stack(all_ids)
