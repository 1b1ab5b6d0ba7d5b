"""The official slices, also for shift 0, where slice(-0, None) is everything."""
def shifted_windows(X, window, shift):
    B, rows, columns, D = X.shape
    w = window
    if rows % w or columns % w or not 0 <= shift < w:
        raise ValueError("window or shift")

    def cut(x):
        return x.reshape(len(x), rows // w, w, columns // w, w, -1).transpose(2, 3).flatten(1, 2).flatten(2, 3)

    number, count = torch.zeros(1, rows, columns, 1, device=X.device), 0
    for h in (slice(0, -w), slice(-w, -shift), slice(-shift, None)):
        for v in (slice(0, -w), slice(-w, -shift), slice(-shift, None)):
            number[:, h, v] = count
            count += 1
    number = cut(number)[0, ..., 0]
    return cut(torch.roll(X, shifts=(-shift, -shift), dims=(1, 2))), (number.unsqueeze(1) - number.unsqueeze(2)) == 0
