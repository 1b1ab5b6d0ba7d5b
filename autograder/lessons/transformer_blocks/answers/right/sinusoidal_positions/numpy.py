"""NumPy, which computes in float64 by itself."""
import numpy as np


def sinusoidal_positions(N, D):
    angles = np.arange(N)[:, None] / np.power(10000.0, np.arange(0, D, 2)[None, :] / D)
    table = np.zeros((N, D), dtype=np.float32)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)[:, : D // 2]
    return torch.from_numpy(table)
