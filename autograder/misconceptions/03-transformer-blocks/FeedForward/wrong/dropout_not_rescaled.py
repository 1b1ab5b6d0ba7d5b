"""Entries are set to 0 while training, but the others are not scaled up, so the mean of the hidden
vector shrinks. Look at what nn.Dropout does besides the zeros."""


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
        if self.training:
            hidden = hidden * (torch.rand_like(hidden) >= self.dropout)
        return self.W_2(hidden)
