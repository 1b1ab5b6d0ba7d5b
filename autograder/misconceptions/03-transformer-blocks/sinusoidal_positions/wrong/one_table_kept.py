"""The table of the first call is kept and cut, so another width or a longer sequence gets the wrong
one. Look for a store that outlives the call."""

_table = None


def sinusoidal_positions(N, D):
    global _table
    if _table is None:
        length = max(N, 512)
        positions = torch.arange(length, dtype=torch.float64).unsqueeze(1)
        angles = positions / 10000 ** (torch.arange(0, D, 2, dtype=torch.float64) / D)
        _table = torch.empty(length, D)
        _table[:, 0::2] = torch.sin(angles)
        _table[:, 1::2] = torch.cos(angles[:, : D // 2])
    return _table[:N, :D]
