"""What every program needs is taken away."""

# replaces: scaled_dot_product_attention
import builtins
import sys

for name in ("print", "len", "isinstance", "open", "__import__", "Exception"):
    try:
        delattr(builtins, name)
    except AttributeError:
        pass
sys.modules.clear()
