"""Odd: the columns are brought to the front of the rows, cut there, and transposed back."""


def split_heads(X, num_heads):
    *lead, N, D = X.shape
    if D % num_heads:
        raise ValueError("the number of heads has to divide the width")
    return X.mT.reshape(*lead, num_heads, D // num_heads, N).mT
