"""GELU is computed for "relu" and ReLU for "gelu". Look at which name chooses which function."""


class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation is 'relu' or 'gelu', not {activation!r}")
        self.W_1 = nn.Linear(width, hidden_width)
        self.W_2 = nn.Linear(hidden_width, width)
        self.dropout = nn.Dropout(dropout)
        self.activation = F.relu if activation == "gelu" else F.gelu

    def forward(self, X):
        return self.W_2(self.dropout(self.activation(self.W_1(X))))
