"""Runs numbered by cumsum; the first of each found by argmax; a list of two."""
def packed(documents):
    change = torch.ones_like(documents, dtype=torch.bool)
    change[:, 1:] = documents.diff(dim=1) != 0
    run = change.cumsum(dim=1)
    same = run[..., None] == run[..., None, :]
    first = same.to(torch.uint8).argmax(dim=-1)
    place = torch.arange(documents.size(1), device=documents.device)[None] - first
    return [same[:, None, :, :], place]
