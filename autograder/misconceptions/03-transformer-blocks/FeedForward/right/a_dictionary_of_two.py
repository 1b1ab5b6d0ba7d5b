"""A dictionary holds the two activations; any other name is a KeyError."""


class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        self.W_1 = nn.Linear(width, hidden_width)
        self.W_2 = nn.Linear(hidden_width, width)
        self.dropout = nn.Dropout(dropout)
        self.activation = {"relu": nn.ReLU(), "gelu": nn.GELU()}[activation]

    def forward(self, X):
        return self.W_2(self.dropout(self.activation(self.W_1(X))))
