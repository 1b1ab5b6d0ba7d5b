"""The exponentials are divided by their Euclidean length instead of by their sum. Look at what the
weights of one slice sum to."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E - E.max(dim=dim, keepdim=True).values)
    return exponentials / exponentials.norm(dim=dim, keepdim=True)
