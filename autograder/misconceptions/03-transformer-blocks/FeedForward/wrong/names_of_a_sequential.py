"""The layers lie in an nn.Sequential, so their names are numbers. Look at the names the exercise
gives them: weights are loaded by name."""


class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation is 'relu' or 'gelu', not {activation!r}")
        self.layers = nn.Sequential(
            nn.Linear(width, hidden_width),
            nn.ReLU() if activation == "relu" else nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(hidden_width, width),
        )

    def forward(self, X):
        return self.layers(X)
