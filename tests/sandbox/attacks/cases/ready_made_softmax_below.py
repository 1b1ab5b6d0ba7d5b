"""The operator below PyTorch's softmax, written into a tensor of the student's own. Only this one exercise forbids it."""

# replaces: softmax
# Refused where the sandbox enforces FORBIDDEN_IN.
def softmax(E, dim=-1):
    return torch.ops.aten._softmax.default(E, dim, False)
