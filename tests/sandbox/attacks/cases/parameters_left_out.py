"""A bias that the module's own list of parameters leaves out."""

# assignment: 02-multi-head-attention
# replaces: MultiHeadAttention
class MultiHeadAttention(nn.Module):
    def __init__(self, model_width, num_heads, *more, **options):
        super().__init__()
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(model_width, model_width) for _ in range(4))

    def named_parameters(self, *args, **kwargs):
        for name, parameter in super().named_parameters(*args, **kwargs):
            if not name.endswith("bias"):
                yield name, parameter

    def forward(self, X, *args, **kwargs):
        return X, X

# may earn: 0
