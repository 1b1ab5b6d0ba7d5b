"""Least squares of an augmented system: a column of ones for the mean, and a row for each weight."""


def cold_start_vector(content, vectors, new_content, ridge):
    if not ridge > 0:
        raise ValueError(f"ridge = {ridge}")
    (M, F_), D = content.shape, vectors.shape[1]
    top = torch.cat((content, content.new_ones(M, 1)), 1)
    bottom = torch.cat((math.sqrt(ridge) * torch.eye(F_).to(content), content.new_zeros(F_, 1)), 1)
    A, b = torch.cat((top, bottom)), torch.cat((vectors, content.new_zeros(F_, D)))
    W = torch.linalg.lstsq(A, b).solution
    return new_content @ W[:-1] + W[-1]
