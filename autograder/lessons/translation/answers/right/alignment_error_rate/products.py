"""Sums of products of numbers."""
def alignment_error_rate(found, sure, possible):
    if not (found.shape == sure.shape and sure.shape == possible.shape):
        raise ValueError(f"expected {tuple(found.shape)} three times, got {tuple(sure.shape)} and {tuple(possible.shape)}")
    a, s, p = found.double(), sure.double(), possible.double()
    total = a.sum() + s.sum()
    return float(1 - (a * (s + p)).sum() / total) if total > 0 else 0.0
