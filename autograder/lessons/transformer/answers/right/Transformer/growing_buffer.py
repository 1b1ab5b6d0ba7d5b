"""The positions lie in a buffer that grows; no padding means full lengths."""
class Transformer(nn.Module):
    def __init__(self, config):
        super().__init__()
        D = config.model_width
        self.scale = D**0.5
        self.embedding = nn.Embedding(config.vocab_size, D)
        self.dropout = nn.Dropout(p=config.dropout)
        stack = (D, config.num_heads, config.hidden_width, config.dropout, config.norm)
        self.encoder = Encoder(config.encoder_blocks, *stack, activation=config.activation)
        self.decoder = Decoder(config.decoder_blocks, *stack, activation=config.activation)
        if not config.tied:
            self.output = nn.Linear(D, config.vocab_size, bias=False)
        self.register_buffer("positions", sinusoidal_positions(16, D), persistent=False)

    def embed(self, ids):
        N = ids.shape[1]
        if N > len(self.positions):
            self.positions = sinusoidal_positions(2 * N, self.positions.shape[1]).to(self.positions)
        return self.dropout(self.embedding(ids) * self.scale + self.positions[:N])

    def forward(self, source, target, source_lengths=None):
        B, N_S = source.shape
        if source_lengths is None:
            source_lengths = torch.full((B,), N_S, device=source.device)
        allowed = padding_mask(source_lengths, N_S)
        memory = self.encoder(self.embed(source), allowed)[0]
        Y, A = self.decoder(self.embed(target), memory, memory_allowed=allowed)
        if hasattr(self, "output"):
            return self.output(Y), A
        return torch.einsum("bnd,vd->bnv", Y, self.embedding.weight), A
