"""There is only one layer, so the hidden vector is never wider than the input. Look at how many
matrices the equation names."""


class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation is 'relu' or 'gelu', not {activation!r}")
        self.W_1 = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)
        self.activation = F.relu if activation == "relu" else F.gelu

    def forward(self, X):
        return self.dropout(self.activation(self.W_1(X)))
