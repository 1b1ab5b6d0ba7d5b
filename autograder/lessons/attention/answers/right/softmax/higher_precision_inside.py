"""Computed in float64 and cast back to the dtype of E."""
def softmax(E, dim=-1):
    wide = E.to(torch.float64)
    exponentials = torch.exp(wide - wide.amax(dim=dim, keepdim=True))
    return (exponentials / exponentials.sum(dim=dim, keepdim=True)).to(E.dtype)
