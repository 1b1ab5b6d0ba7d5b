"""A softmax is applied. The loss does it; return the logits."""


class TokenTagger(nn.Module):
    def __init__(self, model_width, tags, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(model_width, tags)

    def forward(self, Y):
        return self.output(self.dropout(Y)).softmax(-1)
