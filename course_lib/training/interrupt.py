"""The stop button: the step that is being computed is finished first, so that what is saved is whole."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Interrupt:
    """Whether somebody has asked to stop."""

    asked: bool = False


@contextmanager
def delayed_interrupt() -> Iterator[Interrupt]:
    """Inside, the first interruption (the stop button, Ctrl+C) only sets `asked`; the second raises KeyboardInterrupt.

    Only the main thread can do this; in another one, nothing changes.
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
