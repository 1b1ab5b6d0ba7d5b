"""Each row's tokens are picked out, one row after the other."""
def mean_pooling(Y, mask):
    return torch.stack([row[own].mean(dim=0) for row, own in zip(Y, mask)])
