"""The smallest entry gets the largest weight, because the sign of the similarities is turned round.
Look at the order of the two terms where the maximum is subtracted."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E.min(dim=dim, keepdim=True).values - E)
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
