"""Odd: the output in a base class, and all matrices drawn anew."""
class _WithOutput(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embedding = nn.Embedding(config.vocab_size, config.model_width)
        if not config.tied:
            self.output = nn.Linear(config.model_width, config.vocab_size, bias=False)

    def logits(self, Y):
        return F.linear(Y, getattr(self, "output", self.embedding).weight)


class Transformer(_WithOutput):
    def __init__(self, config):
        super().__init__(config)
        c = config
        rest = (c.model_width, c.num_heads, c.hidden_width, c.dropout, c.norm, c.activation)
        self.encoder = Encoder(c.encoder_blocks, *rest)
        self.decoder = Decoder(c.decoder_blocks, *rest)
        self.after_embedding = nn.Dropout(c.dropout)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def forward(self, source, target, source_lengths=None):
        def embed(ids):
            X = self.embedding(ids)
            X = X * X.new_tensor(X.shape[-1]).sqrt()
            for position, row in enumerate(sinusoidal_positions(*X.shape[1:]).to(X)):
                X = torch.cat([X[:, :position], X[:, position : position + 1] + row, X[:, position + 1 :]], dim=1)
            return self.after_embedding(X)

        N_S = source.shape[1]
        mask = padding_mask(source_lengths, N_S) if source_lengths is not None else None
        Y, A = self.decoder(embed(target), self.encoder(embed(source), mask)[0], None, mask)
        return self.logits(Y), A
