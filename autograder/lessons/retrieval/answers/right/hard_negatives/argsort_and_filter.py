"""A complete sort of each row, without the target."""


def hard_negatives(queries, documents, targets, k, skip=0):
    if k < 1 or skip < 0 or len(documents) - 1 < k + skip:
        raise ValueError(f"{len(documents) - 1} wrong documents are fewer than {k} + {skip}")
    order = (queries @ documents.T).argsort(dim=1, descending=True)
    wrong = order[order != targets[:, None]].view(len(queries), -1)
    return wrong[:, skip:skip + k]
