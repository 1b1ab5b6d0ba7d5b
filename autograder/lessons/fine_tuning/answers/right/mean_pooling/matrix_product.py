"""The shares of the tokens are a row that is multiplied with the vectors."""
def mean_pooling(Y, mask):
    shares = mask.to(Y.dtype) / mask.sum(-1, keepdim=True)
    return (shares.unsqueeze(1) @ Y).squeeze(1)
