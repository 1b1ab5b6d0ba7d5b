"""Stable sorting with the irrelevant items first."""


def retrieval_at_k(similarities, relevant, k):
    found = []
    for row, wanted in zip(similarities.tolist(), relevant.tolist()):
        if not any(wanted):
            raise ValueError("nothing is relevant to a query")
        ranked = sorted(zip(row, wanted), key=lambda item: (-item[0], item[1]))
        found.append(any(good for _, good in ranked[:k]))
    return sum(found) / len(found)
