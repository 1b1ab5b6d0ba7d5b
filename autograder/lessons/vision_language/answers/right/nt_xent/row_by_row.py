"""A loop over the rows, as the equation says."""


def nt_xent(z, temperature=0.5):
    n = z.shape[0]
    if n % 2 == 1:
        raise ValueError("odd number of rows")
    unit = z / z.norm(dim=1, keepdim=True)
    total = 0
    for i in range(n):
        similar = unit @ unit[i] / temperature
        others = torch.cat((similar[:i], similar[i + 1 :]))
        total = total + torch.logsumexp(others, dim=0) - similar[(i + n // 2) % n]
    return total / n
