"""The embedding is looked up with F.embedding, the mask written out, F.dropout with the mode."""
def _embedded(ids, weight, p, training):
    X = F.embedding(ids, weight)
    D = X.shape[-1]
    P = sinusoidal_positions(ids.shape[-1], D).to(X.device, X.dtype)
    return F.dropout(torch.add(P, X, alpha=math.sqrt(D)), p, training)


class Transformer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        shared = dict(
            model_width=config.model_width,
            num_heads=config.num_heads,
            hidden_width=config.hidden_width,
            dropout=config.dropout,
            norm=config.norm,
            activation=config.activation,
        )
        self.decoder = Decoder(num_blocks=config.decoder_blocks, **shared)
        self.encoder = Encoder(num_blocks=config.encoder_blocks, **shared)
        if not config.tied:
            self.output = nn.Linear(config.model_width, config.vocab_size, bias=False)
        self.embedding = nn.Embedding(config.vocab_size, config.model_width)

    def forward(self, source, target, source_lengths=None):
        W = self.embedding.weight
        options = (W, self.config.dropout, self.training)
        visible = None
        if source_lengths is not None:
            places = torch.arange(source.shape[1], device=source.device)
            visible = places.view(1, 1, 1, -1) < source_lengths.view(-1, 1, 1, 1)
        memory, _ = self.encoder(_embedded(source, *options), allowed=visible)
        Y, weights = self.decoder(_embedded(target, *options), memory, allowed=None, memory_allowed=visible)
        logits = Y.matmul(W.mT) if self.config.tied else self.output(Y)
        return logits, weights
