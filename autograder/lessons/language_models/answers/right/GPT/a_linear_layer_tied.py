"""A linear layer that shares the embedding's parameter; row by row for documents."""
class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        D = config.model_width
        self.embedding = nn.Embedding(config.vocab_size, D)
        self.positions = layers.LearnedPositions(config.max_length, D)
        self.dropout = nn.Dropout(config.dropout)
        self.decoder = layers.Encoder(config.decoder_blocks, D, config.num_heads, config.hidden_width,
                                      config.dropout, "pre", config.activation)
        self.output = nn.Linear(D, config.vocab_size, bias=False)
        layers.small_start(self, config.decoder_blocks)
        if config.tied:
            self.output.weight = self.embedding.weight

    def forward(self, ids, need_weights=True, documents=None):
        tokens = self.embedding(ids)
        mask = None
        if documents is not None:
            mask, places = packed(documents)
            tokens = torch.stack([row + self.positions.table[place] for row, place in zip(tokens, places)])
        else:
            tokens = self.positions(tokens)
        Y, weights = self.decoder(self.dropout(tokens), mask, need_weights, causal=True)
        return self.output(Y), list(weights)
