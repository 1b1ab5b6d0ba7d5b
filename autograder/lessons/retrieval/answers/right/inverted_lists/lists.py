"""Python lists, one for each centroid, laid end to end."""


def inverted_lists(documents, centroids):
    lists = [[] for _ in centroids]
    for document, vector in enumerate(documents):
        lists[int(torch.argmax(centroids @ vector))].append(document)
    starts = [0]
    for part in lists:
        starts.append(starts[-1] + len(part))
    return torch.tensor([document for part in lists for document in part]), torch.tensor(starts)
