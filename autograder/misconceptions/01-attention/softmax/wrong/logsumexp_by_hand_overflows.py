"""The logarithm of the sum is taken of exponentials that have already overflowed, so large
similarities give NaN or 0. Look at what has to be subtracted before the first exponential, not
after it."""


def softmax(E, dim=-1):
    log_total = torch.log(torch.exp(E).sum(dim=dim, keepdim=True))
    return torch.exp(E - log_total)
