"""A timer interrupts the worker every tenth of a millisecond, and what it calls raises an error wherever that is."""

# replaces: softmax
import signal


def _ring(*_):
    raise KeyboardInterrupt


def softmax(E, dim=-1):
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    return E
