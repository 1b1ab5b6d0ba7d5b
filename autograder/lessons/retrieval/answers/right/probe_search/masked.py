"""All products at once, and those of other lists made minus infinity."""


def probe_search(queries, documents, centroids, order, starts, k, probes):
    if k < 1 or probes < 1 or probes > len(centroids):
        raise ValueError(f"k = {k}, probes = {probes}")
    home = torch.empty(len(documents), dtype=torch.int64)
    home[order] = torch.repeat_interleave(torch.arange(len(centroids)), starts.diff())
    near = torch.topk(queries @ centroids.T, probes, dim=1).indices
    probed = torch.zeros(len(queries), len(centroids), dtype=torch.bool).scatter_(1, near, True)
    scores = (queries @ documents.T).masked_fill(~probed[:, home], -torch.inf)
    values, ids = scores.topk(min(k, len(documents)), dim=1)
    ids = ids.masked_fill(values == -torch.inf, -1)
    missing = k - values.shape[1]
    return F.pad(values, (0, max(missing, 0)), value=-torch.inf), F.pad(ids, (0, max(missing, 0)), value=-1)
