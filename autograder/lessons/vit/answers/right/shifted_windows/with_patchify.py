"""The windows are cut by patchify."""
def shifted_windows(X, window, shift):
    B, rows, columns, D = X.shape
    if rows % window or columns % window or not 0 <= shift < window:
        raise ValueError("the windows do not fit")
    windows = (
        patchify(X.roll((-shift, -shift), (1, 2)).permute(0, 3, 1, 2), window).reshape(B, -1, D, window * window).mT
    )
    down = torch.bucketize(torch.arange(rows, device=X.device), torch.tensor([rows - window, rows - shift], device=X.device), right=True)
    across = torch.bucketize(torch.arange(columns, device=X.device), torch.tensor([columns - window, columns - shift], device=X.device), right=True)
    region = patchify((down[:, None] * 3 + across).to(X.dtype)[None, None], window)[0]
    return windows, region.unsqueeze(2) == region.unsqueeze(1)
