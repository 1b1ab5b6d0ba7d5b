"""NumPy's lexsort, by falling score and then by rising gain."""
import numpy as np


def ranked_gains(scores, gains):
    order = np.lexsort((gains.numpy().astype(float), -scores.numpy()), axis=1)
    return torch.take_along_dim(gains, torch.from_numpy(order), dim=1)
