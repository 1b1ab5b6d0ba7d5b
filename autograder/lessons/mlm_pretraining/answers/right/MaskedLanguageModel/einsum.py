"""The output as an einsum, GELU as a layer."""
class MaskedLanguageModel(nn.Module):
    def __init__(self, vocab_size, model_width, num_heads, num_blocks, max_length, dropout=0.1):
        super().__init__()
        self.encoder = BertEncoder(vocab_size, model_width, num_heads, num_blocks, max_length, dropout)
        self.transform = nn.Linear(model_width, model_width)
        self.output_norm = nn.LayerNorm(model_width)
        self.output_bias = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, ids, segments=None):
        Y, _ = self.encoder(ids, segments, need_weights=False)
        Y = self.output_norm(nn.GELU()(self.transform(Y)))
        table = self.encoder.embeddings.tokens.weight
        return torch.einsum("bnd,vd->bnv", Y, table) + self.output_bias
