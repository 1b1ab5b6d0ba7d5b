"""The blocks walked by hand, with one mask for everything; places always."""
class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.model_width)
        self.positions = layers.LearnedPositions(config.max_length, config.model_width)
        self.dropout = nn.Dropout(p=config.dropout)
        self.decoder = layers.Encoder(
            config.decoder_blocks, config.model_width, config.num_heads, config.hidden_width,
            dropout=config.dropout, norm="pre", activation=config.activation)
        self.output = None
        if not config.tied:
            self.output = nn.Linear(config.model_width, config.vocab_size, bias=False)
        layers.small_start(self, config.decoder_blocks)

    def forward(self, ids, need_weights=True, documents=None):
        N = ids.shape[1]
        if documents is None:
            if N > self.config.max_length:
                raise ValueError("too long")
            documents = torch.zeros_like(ids)
        same, places = packed(documents)
        allowed = same & layers.causal_mask(N)
        X = self.dropout(self.embedding(ids) + self.positions.table[places])
        weights = []
        for block in self.decoder.blocks:
            X, A = block(X, allowed)
            if need_weights:
                weights.append(A)
        Y = self.decoder.norm(X)
        return Y @ (self.embedding.weight.T if self.config.tied else self.output.weight.T), weights
