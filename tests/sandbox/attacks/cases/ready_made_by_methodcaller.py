"""A method is called by its name, from the module operator."""

# replaces: softmax
import operator


def softmax(E, dim=-1):
    return operator.methodcaller("softm" "ax", dim)(E)
