"""Plain Python over the products."""


def hard_negatives(queries, documents, targets, k, skip=0):
    if skip < 0 or k < 1:
        raise ValueError("k has to be at least 1 and skip at least 0")
    if k + skip > len(documents) - 1:
        raise ValueError("too few documents")
    found = []
    for row, target in zip((queries @ documents.T).tolist(), targets.tolist()):
        ranked = sorted((m for m in range(len(row)) if m != target), key=lambda m: -row[m])
        found.append(ranked[skip:skip + k])
    return torch.tensor(found)
