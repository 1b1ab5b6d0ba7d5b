"""A decorator that fills in the mask."""
import functools


def with_a_mask(function):
    @functools.wraps(function)
    def wrapper(Q, K, V, allowed=None):
        if allowed is None:
            allowed = Q.new_ones(K.shape[-2], dtype=torch.bool)
        return function(Q, K, V, allowed)

    return wrapper


@with_a_mask
def scaled_dot_product_attention(Q, K, V, allowed):
    E = (Q @ K.mT / math.sqrt(Q.shape[-1])).masked_fill(~allowed, -torch.inf)
    A = E.softmax(-1).masked_fill(~allowed, 0.0)
    return A @ V, A
