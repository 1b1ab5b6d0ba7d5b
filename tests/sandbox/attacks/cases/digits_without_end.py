"""A whole number of a million digits, which takes minutes to write, and others to read."""

# replaces: softmax
import sys

sys.set_int_max_str_digits(0)


def softmax(E, dim=-1):
    return [10**1_000_000, -(10**5000), 1e308 * 10]
