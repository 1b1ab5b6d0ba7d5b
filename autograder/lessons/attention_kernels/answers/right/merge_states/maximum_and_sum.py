"""The running maximum and sum of the online softmax."""


def merge_states(Y1, L1, Y2, L2):
    m = torch.maximum(L1, L2)
    m = torch.where(torch.isinf(m), torch.zeros_like(m), m)
    w1, w2 = (L1 - m).exp()[..., None], (L2 - m).exp()[..., None]
    total = w1 + w2
    some = total > 0
    Y = torch.where(some, (w1 * Y1 + w2 * Y2) / torch.where(some, total, torch.ones_like(total)), torch.zeros_like(Y1))
    return Y, m + torch.log(total[..., 0])
