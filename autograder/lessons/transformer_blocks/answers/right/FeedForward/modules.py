"""nn.ReLU, nn.GELU and a Sequential that calls the named layers."""
class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        if activation == "relu":
            self.activation = nn.ReLU()
        elif activation == "gelu":
            self.activation = nn.GELU()
        else:
            raise ValueError("unknown activation: " + str(activation))
        self.W_1 = nn.Linear(width, hidden_width)
        self.W_2 = nn.Linear(hidden_width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X):
        for layer in (self.W_1, self.activation, self.dropout, self.W_2):
            X = layer(X)
        return X
