"""The gradient of the logarithm of the sum of the exponentials."""
def softmax(E, dim=-1):
    with torch.enable_grad():
        X = E if E.requires_grad else E.detach().requires_grad_()
        total = torch.logsumexp(X, dim=dim).sum()
        return torch.autograd.grad(total, X, create_graph=E.requires_grad)[0]
