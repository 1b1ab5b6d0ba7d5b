"""What the window saves is taken off what all layers would keep, with sizes of one key counted by math.prod."""


def cache_bytes(tokens, num_layers, num_groups, head_width, bytes_per_number=2, window=None, window_layers=0):
    one_row = math.prod((2, num_groups, head_width, bytes_per_number))
    saved = 0 if window is None else window_layers * max(0, tokens - window)
    return one_row * (num_layers * tokens - saved)
