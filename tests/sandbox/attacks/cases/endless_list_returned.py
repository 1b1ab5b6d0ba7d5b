"""The result is a list that contains itself."""

# replaces: scaled_dot_product_attention
def scaled_dot_product_attention(Q, K, V, allowed=None):
    result = []
    result.append(result)
    result.append(result)
    return result
