"""The result is float32 whatever the dtype of E. Look for a conversion, and compare the dtype that
goes in with the one that comes out."""


def softmax(E, dim=-1):
    E = E.float()
    exponentials = torch.exp(E - E.max(dim=dim, keepdim=True).values)
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
