"""The result is an endless generator."""

# replaces: scaled_dot_product_attention
def scaled_dot_product_attention(Q, K, V, allowed=None):
    while True:
        yield Q
