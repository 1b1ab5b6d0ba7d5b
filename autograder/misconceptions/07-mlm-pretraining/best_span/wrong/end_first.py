"""The best end is taken, and then the best start before it. Another end may have a far better start."""


def best_span(start, end):
    last = end.argmax(dim=1)
    places = torch.arange(start.shape[1])
    return start.masked_fill(places > last[:, None], -torch.inf).argmax(dim=1), last
