"""F.linear and F.dropout, with the mode passed on."""
class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        functions = {"relu": torch.relu, "gelu": F.gelu}
        if activation not in functions:
            raise ValueError(f"activation must be one of {sorted(functions)}")
        self.function = functions[activation]
        self.p = dropout
        self.W_2 = nn.Linear(hidden_width, width)
        self.W_1 = nn.Linear(width, hidden_width)

    def forward(self, X):
        hidden = self.function(F.linear(X, self.W_1.weight, self.W_1.bias))
        hidden = F.dropout(hidden, p=self.p, training=self.training)
        return F.linear(hidden, self.W_2.weight, self.W_2.bias)
