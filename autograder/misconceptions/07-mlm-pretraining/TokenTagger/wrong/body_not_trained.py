"""The vectors are cut off from the body, so that fine-tuning changes the head alone. Look for detach."""


class TokenTagger(nn.Module):
    def __init__(self, model_width, tags, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(model_width, tags)

    def forward(self, Y):
        return self.output(self.dropout(Y.detach()))
