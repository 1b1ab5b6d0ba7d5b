"""A subclass of nn.Linear with its own start, and ReLU in place on the hidden vector."""
class Layer(nn.Linear):
    def reset_parameters(self):
        nn.init.xavier_uniform_(self.weight)
        nn.init.zeros_(self.bias)


class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in {"relu", "gelu"}:
            raise ValueError("activation: relu or gelu")
        self.is_relu = activation == "relu"
        self.W_1 = Layer(width, hidden_width)
        self.W_2 = Layer(hidden_width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X):
        hidden = self.W_1(X)
        hidden = hidden.relu_() if self.is_relu else F.gelu(hidden, approximate="none")
        return self.W_2(self.dropout(hidden))
