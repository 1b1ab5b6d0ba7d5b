"""amax, one expression after the other under new names, type hints."""
def softmax(E: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Return the weights."""
    largest: torch.Tensor = torch.amax(E, dim, keepdim=True)
    numerator: torch.Tensor = (E - largest).exp()
    denominator: torch.Tensor = numerator.sum(dim, True)
    return torch.div(numerator, denominator)
