"""Tensor.unfold cuts; the roll is written with cat."""
def shifted_windows(X, window, shift):
    B, rows, columns, D = X.shape
    if rows % window or columns % window or not 0 <= shift < window:
        raise ValueError("the windows do not fit")

    def cut(T):
        return (
            T.unfold(1, window, window).unfold(2, window, window).permute(0, 1, 2, 4, 5, 3).flatten(3, 4).flatten(1, 2)
        )

    moved = torch.cat((X[:, shift:], X[:, :shift]), 1)
    moved = torch.cat((moved[:, :, shift:], moved[:, :, :shift]), 2)

    def bands(length):
        place = torch.arange(length, device=X.device)
        return (place >= length - window).long() + (place >= length - shift).long()

    regions = cut((3 * bands(rows)[:, None] + bands(columns))[None, :, :, None])[0, :, :, 0]
    return cut(moved), regions[:, :, None] == regions[:, None, :]
