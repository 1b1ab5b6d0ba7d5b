"""The function stops in the debugger, which waits for what nobody types."""

# replaces: softmax
import pdb
import sys

sys.breakpointhook = pdb.set_trace
get_ipython().run_line_magic("pdb", "on")


def softmax(E, dim=-1):
    breakpoint()
    return E
