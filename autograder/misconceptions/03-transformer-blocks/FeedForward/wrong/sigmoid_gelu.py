"""x · sigmoid(1.702 x) stands for GELU, which is only an approximation. Look at the exact one."""


class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation is 'relu' or 'gelu', not {activation!r}")
        self.W_1 = nn.Linear(width, hidden_width)
        self.W_2 = nn.Linear(hidden_width, width)
        self.dropout = nn.Dropout(dropout)
        self.activation = F.relu if activation == "relu" else lambda x: x * torch.sigmoid(1.702 * x)

    def forward(self, X):
        return self.W_2(self.dropout(self.activation(self.W_1(X))))
