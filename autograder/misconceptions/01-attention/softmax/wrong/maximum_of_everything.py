"""The largest entry of the whole tensor is subtracted, so a slice whose entries are all far smaller
becomes 0 / 0. Look at which entries one slice has to be compared with."""


def softmax(E, dim=-1):
    exponentials = torch.exp(E - E.max())
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
