"""The axis of the tags comes before that of the tokens. F.cross_entropy wants it there, but the result
has to be (B, N, tags)."""


class TokenTagger(nn.Module):
    def __init__(self, model_width, tags, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(model_width, tags)

    def forward(self, Y):
        return self.output(self.dropout(Y)).transpose(1, 2)
