"""The result runs code when it is unpickled."""

# replaces: scaled_dot_product_attention
class Bomb:
    def __reduce__(self):
        return eval, ("__import__('pathlib').Path('/tmp/attack-trace-pickle').write_text('x')",)


def scaled_dot_product_attention(Q, K, V, allowed=None):
    return Bomb(), Bomb()
