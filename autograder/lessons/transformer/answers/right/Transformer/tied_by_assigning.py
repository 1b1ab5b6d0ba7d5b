"""The output's weight is the embedding's parameter, as people often tie them."""
class Transformer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.width = config.model_width
        arguments = {
            "model_width": config.model_width,
            "num_heads": config.num_heads,
            "hidden_width": config.hidden_width,
            "dropout": config.dropout,
            "norm": config.norm,
            "activation": config.activation,
        }
        self.embedding = nn.Embedding(config.vocab_size, self.width)
        self.encoder = Encoder(config.encoder_blocks, **arguments)
        self.decoder = Decoder(config.decoder_blocks, **arguments)
        self.dropout = nn.Dropout(config.dropout)
        self.output = nn.Linear(self.width, config.vocab_size, bias=False)
        if config.tied:
            self.output.weight = self.embedding.weight

    def add_positions(self, X):
        P = sinusoidal_positions(X.shape[1], self.width)
        return self.dropout(X * self.width**0.5 + P.to(device=X.device, dtype=X.dtype))

    def forward(self, source, target, source_lengths=None):
        hidden = None
        if source_lengths is not None:
            hidden = padding_mask(source_lengths, source.size(1))
        memory, _ = self.encoder(self.add_positions(self.embedding(source)), hidden)
        words = self.add_positions(self.embedding(target))
        Y, cross = self.decoder(words, memory, None, hidden)
        return self.output(Y), cross
