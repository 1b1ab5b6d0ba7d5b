"""Methods encode and decode, and the matrix of the output chosen in a property."""


class Transformer(nn.Module):
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(config.vocab_size, config.model_width)
        nn.init.normal_(self.embedding.weight, std=config.model_width**-0.5)
        common = (
            config.model_width, config.num_heads, config.hidden_width, config.dropout,
            config.norm, config.activation,
        )
        self.encoder = Encoder(config.encoder_blocks, *common)
        self.decoder = Decoder(config.decoder_blocks, *common)
        self.dropout = nn.Dropout(config.dropout)
        self.output = None
        if not config.tied:
            self.output = nn.Linear(config.model_width, config.vocab_size, bias=False)

    @property
    def matrix(self):
        return (self.embedding if self.output is None else self.output).weight

    def embed(self, ids):
        N, D = ids.shape[1], self.embedding.embedding_dim
        X = math.sqrt(D) * self.embedding(ids)
        return self.dropout(X + sinusoidal_positions(N, D).to(X.device))

    def encode(self, source, allowed):
        return self.encoder(self.embed(source), allowed)[0]

    def decode(self, target, memory, allowed):
        Y, A = self.decoder(self.embed(target), memory, memory_allowed=allowed)
        return Y @ self.matrix.T, A

    def forward(self, source, target, source_lengths=None):
        N_S = source.shape[1]
        allowed = None if source_lengths is None else padding_mask(source_lengths, N_S)
        return self.decode(target, self.encode(source, allowed), allowed)
