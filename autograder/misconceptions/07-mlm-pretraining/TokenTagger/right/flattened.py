"""All tokens of the batch as one long list."""


class TokenTagger(nn.Module):
    def __init__(self, model_width, tags, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(model_width, tags)

    def forward(self, Y):
        B, N, D = Y.shape
        return self.output(self.dropout(Y).reshape(B * N, D)).reshape(B, N, -1)
