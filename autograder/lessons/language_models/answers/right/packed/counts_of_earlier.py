"""A place is the number of earlier tokens of the same document."""
def packed(documents):
    same = torch.eq(documents.unsqueeze(1), documents.unsqueeze(2)).unsqueeze(1)
    places = same.squeeze(1).long().tril(diagonal=-1).sum(dim=-1)
    return same, places
