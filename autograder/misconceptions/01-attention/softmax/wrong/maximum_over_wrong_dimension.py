"""The maximum is taken over the last dimension although the sum is taken over dim, so entries of
one slice are shifted by different amounts. Look at whether numerator and denominator are still
multiplied by the same factor."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E - E.max(dim=-1, keepdim=True).values)
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
