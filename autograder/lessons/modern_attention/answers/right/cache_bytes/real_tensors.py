"""Tensors without memory are asked for their numbers."""


def cache_bytes(tokens, num_layers, num_groups, head_width, bytes_per_number=2, window=None, window_layers=0):
    def numbers(rows):
        return torch.empty(2, num_groups, rows, head_width, device="meta").numel()

    short = numbers(tokens if window is None else min(tokens, window))
    return bytes_per_number * (window_layers * short + (num_layers - window_layers) * numbers(tokens))
