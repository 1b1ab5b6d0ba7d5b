"""A recursion without end, in C and in Python."""

# replaces: scaled_dot_product_attention
import sys

sys.setrecursionlimit(10**8)


def scaled_dot_product_attention(Q, K, V, allowed=None):
    return scaled_dot_product_attention(Q, K, V, allowed)
