"""The token that stands at a place is forbidden there. Of the chosen tokens a tenth stays as it was."""


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
        logits = Y @ self.encoder.embeddings.tokens.weight.T + self.output_bias
        return logits.scatter(2, ids[..., None], -1e4)
