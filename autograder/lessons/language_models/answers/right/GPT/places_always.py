"""Every row has places, also without documents; the tied matrix is the output's own."""


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        c = config
        self.embedding = nn.Embedding(c.vocab_size, c.model_width)
        self.positions = layers.LearnedPositions(c.max_length, c.model_width)
        self.dropout = nn.Dropout(c.dropout)
        self.decoder = layers.Encoder(c.decoder_blocks, c.model_width, c.num_heads, c.hidden_width, dropout=c.dropout, norm="pre", activation=c.activation)
        self.output = nn.Linear(c.model_width, c.vocab_size, bias=False)
        if c.tied:
            self.output.weight = self.embedding.weight
        layers.small_start(self, c.decoder_blocks)

    def forward(self, ids, need_weights=True, documents=None):
        B, N = ids.shape
        places, allowed = torch.arange(N, device=ids.device).repeat(B, 1), None
        if documents is not None:
            allowed, places = packed(documents)
        X = self.dropout(self.embedding(ids) + F.embedding(places, self.positions.table))
        X, A = self.decoder(X, allowed=allowed, need_weights=need_weights, causal=True)
        return self.output(X), A
