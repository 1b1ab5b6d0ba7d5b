"""Far more text than anybody reads."""

# replaces: softmax
import os
import sys

for _ in range(200):
    print("flood " * 10_000)
    print("flood " * 10_000, file=sys.stderr)
    os.write(1, b"flood " * 10_000)
    os.write(2, b"flood " * 10_000)
