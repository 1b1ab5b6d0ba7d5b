"""unflatten and movedim."""
def split_heads(X, num_heads):
    if X.size(-1) % num_heads != 0:
        raise ValueError("the width has to be a multiple of the number of heads")
    return X.unflatten(-1, (num_heads, -1)).movedim(-2, -3)
