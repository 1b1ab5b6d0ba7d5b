"""Every token is fetched by its number before the roll."""
def shifted_windows(X, window, shift):
    B, rows, columns, D = X.shape
    w = window
    if rows % w or columns % w or not 0 <= shift < w:
        raise ValueError("window or shift")
    n = torch.arange((rows // w) * (columns // w), device=X.device)[:, None]
    k = torch.arange(w * w, device=X.device)
    r, c = n // (columns // w) * w + k // w + shift, n % (columns // w) * w + k % w + shift
    index = r % rows * columns + c % columns
    over = 2 * (r >= rows).int() + (c >= columns).int()
    return X.reshape(B, rows * columns, D)[:, index], ~(over[:, :, None] ^ over[:, None, :]).bool()
