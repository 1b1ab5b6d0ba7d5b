"""PyTorch's compiler has the online softmax as an operator of its own, and its two parts as a function of Python."""

# assignment: 01-attention
# replaces: softmax
def softmax(E, dim=-1):
    from torch._inductor.inductor_prims import eager_prepare_softmax

    highest, total = eager_prepare_softmax(E, dim)
    return (E - highest).exp() / total
