"""A mask is made where none is given; the table of positions is made once, for many words."""
class TransformerCaptioner(nn.Module):
    def __init__(self, vocab_size, feature_width, model_width=64, num_heads=4, num_blocks=2):
        super().__init__()
        self.output = nn.Linear(model_width, vocab_size)
        self.decoder = layers.Decoder(num_blocks, model_width, num_heads, 4 * model_width, norm="pre")
        self.embedding = nn.Embedding(vocab_size, model_width)
        self.features_in = nn.Linear(feature_width, model_width)
        self.register_buffer("positions", layers.sinusoidal_positions(512, model_width), persistent=False)

    def forward(self, features, captions, allowed=None):
        if allowed is None:
            allowed = torch.ones(features.shape[:2], dtype=torch.bool, device=features.device)
        T = captions.shape[1]
        X = self.embedding(captions) * self.positions.shape[1] ** 0.5 + self.positions[:T]
        *_, (Y, A) = (self.decoder(X, self.features_in(features), memory_allowed=allowed[:, None, None]),)
        logits = F.linear(Y, self.output.weight, self.output.bias)
        return (logits, torch.mean(A[-1], dim=-3))
