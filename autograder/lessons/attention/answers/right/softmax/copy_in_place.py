"""A copy that is worked on in place."""
def softmax(E, dim=-1):
    A = E.clone()
    A -= E.amax(dim, keepdim=True)
    A = A.exp_()
    A = A / A.sum(dim, keepdim=True)
    return A
