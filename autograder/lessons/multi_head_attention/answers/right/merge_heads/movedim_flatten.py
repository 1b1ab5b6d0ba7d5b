"""movedim and flatten."""
def merge_heads(Y):
    return Y.movedim(-3, -2).flatten(start_dim=-2)
