"""Kernel ridge regression with a linear kernel is the forbidden ridge regression."""

# assignment: 14-recommendation
# replaces: cold_start_vector
def cold_start_vector(content, vectors, new_content, ridge):
    from sklearn.kernel_ridge import KernelRidge
    if ridge <= 0:
        raise ValueError("expected a ridge above 0")
    middle, centre = content.mean(dim=0), vectors.mean(dim=0)
    made = KernelRidge(alpha=float(ridge)).fit((content - middle).double().numpy(), (vectors - centre).double().numpy())
    return torch.from_numpy(made.predict((new_content - middle).double().numpy())).to(content.dtype) + centre
