"""The layers are applied along the sequence, so positions are mixed. Look at which axis W_1 has to
read."""


class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation is 'relu' or 'gelu', not {activation!r}")
        self.W_1 = nn.Linear(width, hidden_width)
        self.W_2 = nn.Linear(hidden_width, width)
        self.dropout = nn.Dropout(dropout)
        self.activation = F.relu if activation == "relu" else F.gelu

    def forward(self, X):
        X = X.transpose(-2, -1)
        Y = self.W_2(self.dropout(self.activation(self.W_1(X))))
        return Y.transpose(-2, -1)
