"""The first rows and columns are masked. What came in from the other side lies at the end after the
roll."""


def shifted_windows(X, window, shift):
    B, rows, columns, D = X.shape
    w = window
    if rows % w or columns % w or not 0 <= shift < w:
        raise ValueError("window or shift")

    def cut(x):
        return x.reshape(len(x), rows // w, w, columns // w, w, -1).transpose(2, 3).flatten(1, 2).flatten(2, 3)

    r, c = torch.arange(rows) < shift, torch.arange(columns) < shift
    g = cut((2 * r[:, None].int() + c.int())[None, :, :, None])[0, :, :, 0]
    return cut(X.roll((-shift, -shift), (1, 2))), g[:, :, None] == g[:, None, :]
