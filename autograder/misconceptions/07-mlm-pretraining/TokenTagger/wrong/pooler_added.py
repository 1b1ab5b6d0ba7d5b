"""There is a pooler before the output layer. A tagger has none."""


class TokenTagger(nn.Module):
    def __init__(self, model_width, tags, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.pooler = nn.Linear(model_width, model_width)
        self.output = nn.Linear(model_width, tags)

    def forward(self, Y):
        return self.output(self.dropout(torch.tanh(self.pooler(Y))))
