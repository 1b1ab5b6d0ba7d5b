"""No sort at all: each document's place is the number of those that come before it."""


def ranked_gains(scores, gains):
    s, g = scores[:, :, None], gains.double()[:, :, None]
    place = torch.arange(scores.shape[1])
    before = (s.mT > s) | ((s.mT == s) & ((g.mT < g) | ((g.mT == g) & (place < place[:, None]))))
    result = torch.empty_like(gains)
    result.scatter_(1, before.sum(dim=2), gains)
    return result
