"""A loop over the tokens."""


class TokenTagger(nn.Module):
    def __init__(self, model_width, tags, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(model_width, tags)

    def forward(self, Y):
        Y = self.dropout(Y)
        return torch.stack([self.output(token) for token in Y.unbind(1)], dim=1)
