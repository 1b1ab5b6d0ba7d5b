"""Odd: the rolled rows and columns themselves tell. Two tokens of a window belong together if the
roll has moved both by the same amount."""
def shifted_windows(X, window, shift):
    B, rows, columns, D = X.shape
    if rows % window or columns % window or not 0 <= shift < window:
        raise ValueError("the windows do not fit")

    def cut(T):
        T = T.reshape(T.shape[0], rows // window, window, columns // window, window, T.shape[3])
        return T.transpose(2, 3).reshape(T.shape[0], -1, window**2, T.shape[5])

    moved = torch.roll(X, (-shift, -shift), (1, 2))
    row = torch.arange(rows, device=X.device).view(1, rows, 1, 1).expand(1, rows, columns, 1)
    column = torch.arange(columns, device=X.device).view(1, 1, columns, 1).expand(1, rows, columns, 1)
    jumps = []
    for place, axis in ((row, 1), (column, 2)):
        jumps.append(cut(place.roll(-shift, axis) < place)[0, :, :, 0])
    return cut(moved), (jumps[0][:, :, None] == jumps[0][:, None]) & (jumps[1][:, :, None] == jumps[1][:, None])
