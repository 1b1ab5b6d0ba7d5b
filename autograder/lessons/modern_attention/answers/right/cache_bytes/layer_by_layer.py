"""A loop over the layers."""


def cache_bytes(tokens, num_layers, num_groups, head_width, bytes_per_number=2, window=None, window_layers=0):
    total = 0
    for layer in range(num_layers):
        rows = min(tokens, window) if layer < window_layers and window is not None else tokens
        total += 2 * rows * num_groups * head_width * bytes_per_number
    return total
