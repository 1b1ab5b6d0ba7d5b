"""Tokens count as neighbours when they were less than a window apart. What came in over the edge is
kept apart, even where one window is the whole side."""


def shifted_windows(X, window, shift):
    B, rows, columns, D = X.shape
    w = window
    if rows % w or columns % w or not 0 <= shift < w:
        raise ValueError("window or shift")

    def cut(x):
        return x.reshape(len(x), rows // w, w, columns // w, w, -1).transpose(2, 3).flatten(1, 2).flatten(2, 3)

    r = (torch.arange(rows) + shift) % rows
    c = (torch.arange(columns) + shift) % columns
    y = cut(r[None, :, None, None].expand(1, rows, columns, 1))[0, ..., 0]
    x = cut(c[None, None, :, None].expand(1, rows, columns, 1))[0, ..., 0]
    near = lambda a: (a[:, :, None] - a[:, None, :]).abs() < w
    return cut(X.roll((-shift, -shift), (1, 2))), near(y) & near(x)
