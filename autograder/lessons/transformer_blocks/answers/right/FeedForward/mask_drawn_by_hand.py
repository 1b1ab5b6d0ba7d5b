"""The dropout mask is drawn and rescaled by hand."""
class FeedForward(nn.Module):
    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        match activation:
            case "relu":
                self.activation = F.relu
            case "gelu":
                self.activation = F.gelu
            case _:
                raise ValueError(f"no activation {activation}")
        self.keep = 1.0 - dropout
        self.W_1, self.W_2 = nn.Linear(width, hidden_width), nn.Linear(hidden_width, width)

    def forward(self, X):
        hidden = self.activation(self.W_1(X))
        if self.training and self.keep < 1:
            kept = torch.empty_like(hidden).bernoulli_(self.keep)
            hidden = hidden * kept / self.keep
        return self.W_2(hidden)
