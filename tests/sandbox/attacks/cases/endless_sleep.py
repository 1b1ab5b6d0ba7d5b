"""A call that sleeps for ever."""

# replaces: scaled_dot_product_attention
import time


def scaled_dot_product_attention(Q, K, V, allowed=None):
    time.sleep(10**6)
