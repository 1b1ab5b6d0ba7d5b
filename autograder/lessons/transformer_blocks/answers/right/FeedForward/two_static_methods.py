"""A dictionary of two static methods; any other name is a ValueError."""
class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        try:
            self.activation = {"relu": self.relu, "gelu": self.gelu}[activation]
        except KeyError:
            raise ValueError(f"activation {activation}") from None
        self.W_1 = nn.Linear(width, hidden_width)
        self.W_2 = nn.Linear(hidden_width, width)
        self.dropout = nn.Dropout(dropout)

    @staticmethod
    def relu(x):
        return x.clamp(min=0)

    @staticmethod
    def gelu(x):
        return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))

    def forward(self, X):
        hidden = X @ self.W_1.weight.mT + self.W_1.bias
        hidden = self.dropout(self.activation(hidden))
        return hidden @ self.W_2.weight.mT + self.W_2.bias
