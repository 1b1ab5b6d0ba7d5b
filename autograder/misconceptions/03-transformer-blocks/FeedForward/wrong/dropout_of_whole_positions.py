"""One draw decides over a whole hidden vector, so positions vanish instead of single entries. Look
at the shape of what is drawn."""


class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation is 'relu' or 'gelu', not {activation!r}")
        self.W_1 = nn.Linear(width, hidden_width)
        self.W_2 = nn.Linear(hidden_width, width)
        self.dropout = dropout
        self.activation = F.relu if activation == "relu" else F.gelu

    def forward(self, X):
        hidden = self.activation(self.W_1(X))
        kept = torch.ones_like(hidden[..., :1])
        return self.W_2(hidden * F.dropout(kept, self.dropout, self.training))
