"""Column vectors that are squeezed at the end."""
def attend(q: torch.Tensor, X: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    similarities = torch.mm(X, q.view(-1, 1))
    weights = torch.softmax(similarities, dim=0)
    output = torch.mm(X.t(), weights)
    return output.squeeze(1), weights.squeeze(1)
