"""The exponentials are returned without the division by their sum. Look at what the weights of one
slice sum to."""


def softmax(E, dim=-1):
    return torch.exp(E)
