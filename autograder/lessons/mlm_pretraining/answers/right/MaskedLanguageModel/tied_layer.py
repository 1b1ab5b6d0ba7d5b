"""The output as a linear layer whose weight is that of the embedding."""
class MaskedLanguageModel(nn.Module):
    def __init__(self, vocab_size, model_width, num_heads, num_blocks, max_length, dropout=0.1):
        super().__init__()
        self.encoder = BertEncoder(vocab_size, model_width, num_heads, num_blocks, max_length, dropout)
        self.transform = nn.Linear(model_width, model_width)
        self.output_norm = nn.LayerNorm(model_width)
        self.output_bias = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, ids, segments=None):
        Y, _ = self.encoder(ids, segments, need_weights=False)
        Y = self.output_norm(F.gelu(self.transform(Y)))
        return self.output(Y) + self.output_bias

    @property
    def output(self):
        return lambda Y: Y.matmul(self.encoder.embeddings.tokens.weight.mT)
