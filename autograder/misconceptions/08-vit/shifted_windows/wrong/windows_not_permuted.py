"""The tokens are dealt out to windows as they lie in memory. Split rows and columns, and bring the
window's place to the front."""


def shifted_windows(X, window, shift):
    B, rows, columns, D = X.shape
    if rows % window or columns % window or not 0 <= shift < window:
        raise ValueError("the windows do not fit")
    def cut(T):
        return T.reshape(T.shape[0], -1, window**2, T.shape[3])

    moved = torch.roll(X, (-shift, -shift), (1, 2))
    def bands(length):
        place = torch.arange(length)
        return (place >= length - window).long() + (place >= length - shift).long()

    regions = cut((3 * bands(rows)[:, None] + bands(columns))[None, :, :, None])[0, :, :, 0]
    return cut(moved), regions[:, :, None] == regions[:, None, :]
