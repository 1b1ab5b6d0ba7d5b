"""The process is made to crash."""

# replaces: scaled_dot_product_attention
import ctypes


def scaled_dot_product_attention(Q, K, V, allowed=None):
    ctypes.string_at(0)
