"""The tokens are taken out with .detach(), so no gradient flows back."""


def shifted_windows(X, window, shift):
    B, rows, columns, D = X.shape
    if rows % window or columns % window or not 0 <= shift < window:
        raise ValueError("the windows do not fit")
    def cut(T):
        T = T.reshape(T.shape[0], rows // window, window, columns // window, window, T.shape[3])
        return T.transpose(2, 3).reshape(T.shape[0], -1, window**2, T.shape[5])

    moved = torch.roll(X.detach(), (-shift, -shift), (1, 2))
    def bands(length):
        place = torch.arange(length)
        return (place >= length - window).long() + (place >= length - shift).long()

    regions = cut((3 * bands(rows)[:, None] + bands(columns))[None, :, :, None])[0, :, :, 0]
    return cut(moved), regions[:, :, None] == regions[:, None, :]
