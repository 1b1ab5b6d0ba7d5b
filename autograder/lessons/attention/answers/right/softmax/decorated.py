"""Wrapped in a decorator."""
import functools


def named(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@named
def softmax(E, dim=-1):
    e_max, _ = torch.max(E, dim=dim, keepdim=True)
    E = torch.exp(E - e_max)
    return E / torch.sum(E, dim=dim, keepdim=True)
