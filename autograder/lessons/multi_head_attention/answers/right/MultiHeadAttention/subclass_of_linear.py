"""The layers are a subclass of nn.Linear; unused buffers; one more argument with a default."""
class Projection(nn.Linear):
    def __init__(self, width, bias):
        super().__init__(width, width, bias)


class MultiHeadAttention(nn.Module):
    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if model_width % num_heads:
            raise ValueError("num_heads has to divide model_width")
        self.num_heads = num_heads
        self.dropout = dropout
        self.W_Q = Projection(model_width, bias)
        self.W_K = Projection(model_width, bias)
        self.W_V = Projection(model_width, bias)
        self.W_O = Projection(model_width, bias)
        self.register_buffer("calls", torch.zeros((), dtype=torch.long), persistent=False)

    def heads(self, x):
        return split_heads(x, self.num_heads)

    def forward(self, queries, keys=None, values=None, allowed=None, verbose=False):
        self.calls += 1
        source = queries if keys is None else keys
        Q, K = self.heads(self.W_Q(queries)), self.heads(self.W_K(source))
        V = self.heads(self.W_V(source if values is None else values))
        A = attention_weights(Q, K, allowed)
        if verbose:
            print(A.shape)
        dropped = nn.functional.dropout(A, self.dropout, self.training)
        return [self.W_O(merge_heads(dropped.matmul(V))), A]
