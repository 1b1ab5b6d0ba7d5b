"""The smallest entry of the slice is subtracted instead of the largest, so the exponentials can
still overflow. Look at the sign that every exponent has after the subtraction."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E - E.min(dim=dim, keepdim=True).values)
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
