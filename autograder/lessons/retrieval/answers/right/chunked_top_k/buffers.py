"""The best so far in two tensors of k columns that begin with minus infinity."""


def chunked_top_k(queries, documents, k, chunk=4096):
    if k < 1 or k > len(documents) or chunk < 1:
        raise ValueError(f"k = {k}, chunk = {chunk}, {len(documents)} documents")
    best = queries.new_full((len(queries), k), -torch.inf)
    where = torch.zeros_like(best, dtype=torch.int64)
    first = 0
    for part in documents.split(chunk):
        scores = queries @ part.T
        new, at = torch.topk(scores, min(k, len(part)), dim=1)
        both, ids = torch.cat([best, new], 1), torch.cat([where, at + first], 1)
        best, at = torch.topk(both, k, dim=1)
        where = torch.gather(ids, 1, at)
        first += len(part)
    return best, where
