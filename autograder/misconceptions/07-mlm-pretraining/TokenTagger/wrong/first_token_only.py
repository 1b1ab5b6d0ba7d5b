"""Only the first token gets a tag. Every token has one."""


class TokenTagger(nn.Module):
    def __init__(self, model_width, tags, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(model_width, tags)

    def forward(self, Y):
        return self.output(self.dropout(Y[:, 0]))
