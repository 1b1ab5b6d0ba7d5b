"""The first layer goes from hidden_width to width, so it does not fit the input. Look at which
width X has."""


class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation is 'relu' or 'gelu', not {activation!r}")
        self.W_1 = nn.Linear(hidden_width, width)
        self.W_2 = nn.Linear(width, hidden_width)
        self.dropout = nn.Dropout(dropout)
        self.activation = F.relu if activation == "relu" else F.gelu

    def forward(self, X):
        return self.W_2(self.dropout(self.activation(self.W_1(X))))
