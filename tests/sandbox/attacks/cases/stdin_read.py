"""The standard input is read."""

# replaces: softmax
import sys

sys.stdin.read()
