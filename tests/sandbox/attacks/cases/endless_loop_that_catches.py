"""A loop that catches whatever is raised in it."""

# replaces: scaled_dot_product_attention
import signal

for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass


def scaled_dot_product_attention(Q, K, V, allowed=None):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
