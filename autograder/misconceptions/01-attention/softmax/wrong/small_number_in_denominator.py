"""A small constant is added to the sum, so the weights sum to a little less than 1. Look at how
small the sum can become once the maximum has been subtracted."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E - E.max(dim=dim, keepdim=True).values)
    return exponentials / (exponentials.sum(dim=dim, keepdim=True) + 1e-6)
