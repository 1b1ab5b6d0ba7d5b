"""Least squares of an augmented system: a column of ones for the mean, and a row for each weight."""


def cold_start_vector(content, vectors, new_content, ridge):
    if not ridge > 0:
        raise ValueError(f"ridge = {ridge}")
    (M, F_), D, dtype = content.shape, vectors.shape[1], content.dtype
    top = torch.cat((content, torch.ones(M, 1, dtype=dtype)), 1)
    bottom = torch.cat((math.sqrt(ridge) * torch.eye(F_, dtype=dtype), torch.zeros(F_, 1, dtype=dtype)), 1)
    A, b = torch.cat((top, bottom)), torch.cat((vectors, torch.zeros(F_, D, dtype=dtype)))
    W = torch.linalg.lstsq(A, b).solution
    return new_content @ W[:-1] + W[-1]
