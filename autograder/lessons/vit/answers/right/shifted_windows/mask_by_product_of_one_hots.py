"""The mask is a product of one-hot matrices; windows by tensor_split; cat instead of roll."""
def shifted_windows(X, window, shift):
    B, rows, columns, D = X.shape
    w = window
    if rows % w or columns % w or not 0 <= shift < w:
        raise ValueError("window or shift")
    X = torch.cat((X[:, shift:], X[:, :shift]), dim=1)
    X = torch.cat((X[:, :, shift:], X[:, :, :shift]), dim=2)
    windows = torch.stack(
        [s.flatten(1, 2) for strip in X.tensor_split(rows // w, 1) for s in strip.tensor_split(columns // w, 2)], 1
    )

    def side(length):
        place = torch.arange(length, device=X.device).view(-1, w)
        over = F.one_hot((place >= length - shift).long(), 2)
        return torch.einsum("nia,nja->nij", over, over)

    r, c = side(rows), side(columns)
    allowed = torch.einsum("aij,bkl->abikjl", r, c).flatten(0, 1).flatten(1, 2).flatten(2, 3) > 0
    return windows, allowed
