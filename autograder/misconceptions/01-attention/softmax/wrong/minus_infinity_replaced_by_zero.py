"""Entries of −inf are replaced by 0 before the exponential, so they get a weight although they
should get none. Look at what the exponential itself makes of −inf."""


def softmax(E, dim=-1):
    E = torch.nan_to_num(E, neginf=0.0)
    exponentials = torch.exp(E - E.max(dim=dim, keepdim=True).values)
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
