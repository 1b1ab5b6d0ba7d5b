"""The dual form: products of the videos' contents with each other."""


def cold_start_vector(content, vectors, new_content, ridge):
    if ridge <= 0:
        raise ValueError("the ridge has to be above 0")
    mean = content.mean(0, keepdim=True)
    X, Y = content - mean, vectors - vectors.mean(0, keepdim=True)
    K = X @ X.T
    K.diagonal().add_(ridge)
    return (new_content - mean) @ X.T @ torch.linalg.solve(K, Y) + vectors.mean(0)
