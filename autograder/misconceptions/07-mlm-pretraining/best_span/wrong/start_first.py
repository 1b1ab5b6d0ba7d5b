"""The best start is taken, and then the best end behind it. Another start may have a far better end."""


def best_span(start, end):
    first = start.argmax(dim=1)
    places = torch.arange(start.shape[1])
    last = end.masked_fill(places < first[:, None], -torch.inf).argmax(dim=1)
    return first, last
