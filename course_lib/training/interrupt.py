"""The stop button: finish the current step first, so that the saved state is consistent."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Interrupt:
    """A request to stop, once `asked` is true."""

    asked: bool = False


@contextmanager
def delayed_interrupt() -> Iterator[Interrupt]:
    """Delay interruptions (the stop button, Ctrl+C): the first only sets `asked`; the second raises KeyboardInterrupt.

    Only the main thread can do this; in another thread, nothing changes.
    """
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return

    def ask(number: int, frame: object) -> None:
        if interrupt.asked:
            raise KeyboardInterrupt
        interrupt.asked = True

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
