"""A namedtuple in the place of the tuple."""
from collections import namedtuple

Attended = namedtuple("Attended", ["output", "weights"])


def attend(q, X):
    weights = torch.softmax(torch.inner(X, q), dim=-1)
    return Attended(output=weights @ X, weights=weights)
