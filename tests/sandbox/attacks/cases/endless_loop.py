"""A loop without end."""

# replaces: scaled_dot_product_attention
def scaled_dot_product_attention(Q, K, V, allowed=None):
    while True:
        pass
