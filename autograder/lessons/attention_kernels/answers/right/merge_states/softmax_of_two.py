"""A softmax over the two logarithms."""


def merge_states(Y1, L1, Y2, L2):
    both = torch.stack([L1, L2], dim=-1)
    shares = torch.nan_to_num(torch.softmax(both, dim=-1), nan=0.0)
    Y = (torch.stack([Y1, Y2], dim=-1) * shares.unsqueeze(-2)).sum(-1)
    return Y, torch.logsumexp(both, dim=-1)
