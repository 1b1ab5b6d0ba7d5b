"""The best k of every chunk are kept, and merged once at the end."""


def chunked_top_k(queries, documents, k, chunk=4096):
    if chunk < 1 or not 0 < k <= len(documents):
        raise ValueError("Expected 1 <= k <= the number of documents, and a chunk of at least 1.")
    kept = []
    for start in range(0, len(documents), chunk):
        values, ids = (queries @ documents[start:start + chunk].T).topk(min(k, len(documents) - start, chunk), dim=1)
        kept.append((values, ids + start))
    values, ids = (torch.cat(parts, dim=1) for parts in zip(*kept))
    values, order = values.topk(k, dim=1)
    return values, ids.gather(1, order)
