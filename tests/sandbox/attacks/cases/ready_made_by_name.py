"""The forbidden function by its name in the operator library."""

# replaces: blockwise_attention
def blockwise_attention(Q, K, V, causal=False, block_size=64):
    return torch.ops.aten.scaled_dot_product_attention(Q, K, V, is_causal=causal)
