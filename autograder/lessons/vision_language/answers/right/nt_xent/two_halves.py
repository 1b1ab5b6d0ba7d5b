"""The two views apart, four tables of similarities."""


def nt_xent(z, temperature=0.5):
    if len(z) % 2 != 0:
        raise ValueError("expected an even number of rows")
    a, b = torch.nn.functional.normalize(z, dim=-1).chunk(2)
    N = len(a)
    hidden = z.new_full((N,), float("inf")).diag().nan_to_num(0.0, posinf=torch.finfo(z.dtype).max / 2)
    aa, bb, ab = a @ a.T / temperature - hidden, b @ b.T / temperature - hidden, a @ b.T / temperature
    first = torch.logsumexp(torch.cat((aa, ab), dim=1), dim=1) - ab.diagonal()
    second = torch.logsumexp(torch.cat((bb, ab.T), dim=1), dim=1) - ab.diagonal()
    return torch.cat((first, second)).mean()
