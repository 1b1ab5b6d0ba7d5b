"""Any other name is taken as GELU. Look at what has to happen for a name that is neither of the
two."""


class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        self.W_1 = nn.Linear(width, hidden_width)
        self.W_2 = nn.Linear(hidden_width, width)
        self.dropout = nn.Dropout(dropout)
        self.activation = F.relu if activation == "relu" else F.gelu

    def forward(self, X):
        return self.W_2(self.dropout(self.activation(self.W_1(X))))
