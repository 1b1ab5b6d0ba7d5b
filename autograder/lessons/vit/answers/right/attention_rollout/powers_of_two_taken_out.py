"""All halves are taken out of the product."""
def attention_rollout(weights):
    N = weights[0].size(-1)
    product = None
    for A in reversed(list(weights)):
        factor = A.sum(dim=1) / A.shape[1] + torch.eye(N).to(A)
        product = factor if product is None else product.matmul(factor)
    return product / 2 ** len(weights)
