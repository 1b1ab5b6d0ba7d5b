"""The singular values, each shrunk by the ridge."""


def cold_start_vector(content, vectors, new_content, ridge):
    if ridge <= 0:
        raise ValueError(f"Expected ridge > 0, got {ridge}")
    m, c = content.mean(dim=0), vectors.mean(dim=0)
    U, S, Vh = torch.linalg.svd(content - m, full_matrices=False)
    W = Vh.T @ torch.diag(S / (S * S + ridge)) @ U.T @ (vectors - c)
    return (new_content - m) @ W + c
