"""The weights are computed in NumPy, so no gradient can flow and a tensor that requires one fails.
Look for the torch function of the same name."""
import numpy as np


def softmax(E, dim=-1):
    numbers = E.numpy()
    exponentials = np.exp(numbers - numbers.max(axis=dim, keepdims=True))
    return torch.from_numpy(exponentials / exponentials.sum(axis=dim, keepdims=True))
