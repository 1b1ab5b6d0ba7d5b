"""The dtype is right but float64 comes back with the precision of float32. Look for a tensor that
is made without the dtype of E."""


def softmax(E, dim=-1):
    exponentials = torch.zeros(E.shape)
    exponentials[...] = torch.exp(E - E.max(dim=dim, keepdim=True).values)
    return (exponentials / exponentials.sum(dim=dim, keepdim=True)).to(E.dtype)
