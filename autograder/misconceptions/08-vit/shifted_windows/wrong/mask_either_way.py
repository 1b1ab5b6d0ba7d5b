"""Row or column region has to agree. Both have to."""


def shifted_windows(X, window, shift):
    B, rows, columns, D = X.shape
    w = window
    if rows % w or columns % w or not 0 <= shift < w:
        raise ValueError("window or shift")

    def cut(x):
        return x.reshape(len(x), rows // w, w, columns // w, w, -1).transpose(2, 3).flatten(1, 2).flatten(2, 3)

    r = cut((torch.arange(rows) >= rows - shift)[None, :, None, None].expand(1, rows, columns, 1))[0, ..., 0]
    c = cut((torch.arange(columns) >= columns - shift)[None, None, :, None].expand(1, rows, columns, 1))[0, ..., 0]
    return cut(X.roll((-shift, -shift), (1, 2))), (r[:, :, None] == r[:, None]) | (c[:, :, None] == c[:, None])
