"""Nothing is set to 0 on the sum of word vectors and positions of the source. Both sides are embedded alike."""


class Transformer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        width = config.model_width
        sizes = (width, config.num_heads, config.hidden_width)
        options = (config.dropout, config.norm, config.activation)
        self.embedding = nn.Embedding(config.vocab_size, width)
        self.encoder = Encoder(config.encoder_blocks, *sizes, *options)
        self.decoder = Decoder(config.decoder_blocks, *sizes, *options)
        self.dropout = nn.Dropout(config.dropout)
        if not config.tied:
            self.output = nn.Linear(width, config.vocab_size, bias=False)

    def embed(self, ids):
        width = self.config.model_width
        X = self.embedding(ids) * math.sqrt(width)
        P = sinusoidal_positions(ids.shape[1], width).to(X)
        return X + P

    def forward(self, source, target, source_lengths=None):
        allowed = None
        if source_lengths is not None:
            allowed = padding_mask(source_lengths, source.shape[1])
        memory, _ = self.encoder(self.embed(source), allowed)
        Y, weights = self.decoder(self.dropout(self.embed(target)), memory, memory_allowed=allowed)
        if self.config.tied:
            return F.linear(Y, self.embedding.weight), weights
        return self.output(Y), weights
