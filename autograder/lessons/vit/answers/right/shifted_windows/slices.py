"""The regions are numbered with nine slices, as in the paper's code."""
def shifted_windows(X, window, shift):
    B, rows, columns, D = X.shape
    if rows % window or columns % window or not 0 <= shift < window:
        raise ValueError("the windows do not fit")

    def cut(T):
        T = T.reshape(T.shape[0], rows // window, window, columns // window, window, T.shape[3])
        return T.transpose(2, 3).reshape(T.shape[0], -1, window**2, T.shape[5])

    moved = torch.roll(X, (-shift, -shift), (1, 2))
    image = torch.zeros(1, rows, columns, 1, dtype=torch.int64, device=X.device)
    number = 0
    for h in (slice(0, rows - window), slice(rows - window, rows - shift), slice(rows - shift, rows)):
        for w in (
            slice(0, columns - window),
            slice(columns - window, columns - shift),
            slice(columns - shift, columns),
        ):
            image[:, h, w] = number
            number += 1
    regions = cut(image)[0, :, :, 0]
    return cut(moved), regions[:, :, None] == regions[:, None, :]
